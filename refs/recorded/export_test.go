package recorded

import "bytes"

// CheckEntry decodes an entry; one that can be read is written the same way and read again.
func CheckEntry(text string) error {
	e, err := decode(text)
	if err != nil {
		return err
	}
	again, err := decode(string(e.encode()))
	if err != nil {
		return err
	}
	if !bytes.Equal(e.encode(), again.encode()) {
		panic("an entry changes when it is written")
	}
	return nil
}
