package records

// Text returns a pointer to a text; nil for an empty text.
func Text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Value returns the text that s points to; "" for nil.
func Value[T ~string](s *T) string {
	if s == nil {
		return ""
	}
	return string(*s)
}
