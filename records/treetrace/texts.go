package treetrace

import (
	"reflect"
	"slices"
)

// names lists the fields that contain ids, times or words of the format, and no text of people or models.
var names = []string{
	"ID", "ParentID", "Session", "SourceEventIDs", "ToolUseID", "Trace", "Patches", "Commits", "NodeIDs", "NodeID", "From",
	"To", "LessonIDs",
	"SchemaVersion", "Generator", "GeneratedAt", "SourceType", "TS", "FirstTS", "LastTS", "Timestamp", "Kind", "KindBy",
	"Status", "Role", "Source",
	"Type", "Tier", "FailureType", "Relationship", "BaseCommit", "GoodCommit", "SourceNodeIDs", "FailureNodeID",
	"CorrectionNodeID", "ResolvedNodeID",
	"ResolvedBy", "FirstSeenNodeID", "CorrectedByNodeID", "CheckedAt", "Category", "Confidence", "Agent",
	"RejectionsByKind", "Model", "Models",
}

// Texts passes every text of the document to the function `visit`, and replaces the text with the result. Ids, times
// and words of the format are not texts. It stops at the first error.
func (d *Document) Texts(visit func(string) (string, error)) error {
	return texts(reflect.ValueOf(d), visit)
}

func texts(v reflect.Value, visit func(string) (string, error)) error {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			if v.Elem().Kind() == reflect.String && v.CanSet() { // several pointers may share one text
				v.Set(reflect.ValueOf(new(v.Elem().String())))
			}
			return texts(v.Elem(), visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if slices.Contains(names, v.Type().Field(i).Name) {
				continue
			}
			if err := texts(v.Field(i), visit); err != nil {
				return err
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if err := texts(v.Index(i), visit); err != nil {
				return err
			}
		}
	case reflect.String:
		if v.Len() == 0 {
			return nil
		}
		text, err := visit(v.String())
		if err != nil {
			return err
		}
		v.SetString(text)
	}
	return nil
}
