package records

// Text returns a text that may be missing: nil for an empty one.
func Text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// Value returns the text, "" for nil.
func Value[T ~string](s *T) string {
	if s == nil {
		return ""
	}
	return string(*s)
}
