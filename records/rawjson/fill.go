package rawjson

// Fill reads the named members of an object, like [Decoder.Fill].
func Fill(raw []byte, into ...any) error {
	d := Decoder{data: raw, due: true}
	d.Fill(into...)
	return d.err
}

// Count makes Fill and Take read a count: a negative number becomes 0.
func Count(n *int64) any { return counter{n} }

type counter struct{ n *int64 }

// Fill reads the next object. The arguments are pairs: the name of a member and a pointer to its variable.
func (d *Decoder) Fill(into ...any) {
	for d.Open(); d.Member(); {
		d.Take(into...)
	}
}

// Take reads the value of the current member if the arguments name it, like Fill. If a member occurs twice, the last
// one counts.
func (d *Decoder) Take(into ...any) {
	for i := 0; i+1 < len(into); i += 2 {
		if name, _ := into[i].(string); string(d.key) != name {
			continue
		}
		switch to := into[i+1].(type) {
		case *string:
			*to = d.Text()
		case *[]byte:
			*to = d.Raw()
		case *int64:
			*to = d.Int()
		case *float64:
			*to = d.Float()
		case *bool:
			*to = d.Bool()
		case counter:
			*to.n = max(d.Int(), 0)
		}
		return
	}
}
