package lsp

import "encoding/json"

// The types of the Language Server Protocol 3.17 that this package uses. Lines and characters count from 0. A character
// is a unit of the negotiated encoding.
type (
	position struct {
		Line      int `json:"line"`
		Character int `json:"character"`
	}
	textRange struct {
		Start position `json:"start"`
		End   position `json:"end"`
	}
	identifier struct {
		URI string `json:"uri"`
	}
	documentParams struct {
		TextDocument identifier `json:"textDocument"`
	}
	openParams struct {
		TextDocument struct {
			URI  string `json:"uri"`
			Text string `json:"text"`
		} `json:"textDocument"`
	}
	changeParams struct {
		TextDocument   identifier `json:"textDocument"`
		ContentChanges []struct {
			Range json.RawMessage `json:"range"`
			Text  string          `json:"text"`
		} `json:"contentChanges"`
	}
	saveParams struct {
		TextDocument identifier `json:"textDocument"`
		Text         *string    `json:"text"`
	}
	positionParams struct {
		TextDocument identifier `json:"textDocument"`
		Position     position   `json:"position"`
	}
	rangeParams struct {
		TextDocument identifier `json:"textDocument"`
		Range        textRange  `json:"range"`
	}
	cancelParams struct {
		ID json.RawMessage `json:"id"`
	}
	commandParams struct {
		Command   string   `json:"command"`
		Arguments []string `json:"arguments"`
	}
	initializeParams struct {
		Capabilities struct {
			General struct {
				PositionEncodings []string `json:"positionEncodings"`
			} `json:"general"`
			Window struct {
				ShowDocument struct {
					Support bool `json:"support"`
				} `json:"showDocument"`
			} `json:"window"`
			Workspace struct {
				InlayHint refresh `json:"inlayHint"`
				CodeLens  refresh `json:"codeLens"`
			} `json:"workspace"`
		} `json:"capabilities"`
		Options json.RawMessage `json:"initializationOptions"`
	}
	// options holds the person's settings in the editor.
	options struct {
		CodeLens bool `json:"codeLens"`
		Copy     bool `json:"copy"` // the editor copies the result of gitTrace.copy to its clipboard
	}
	refresh struct {
		Support bool `json:"refreshSupport"`
	}

	markup struct {
		Kind  string `json:"kind"`
		Value string `json:"value"`
	}
	hover struct {
		Contents markup    `json:"contents"`
		Range    textRange `json:"range"`
	}
	inlayHint struct {
		Position    position `json:"position"`
		Label       string   `json:"label"`
		Tooltip     string   `json:"tooltip,omitempty"`
		PaddingLeft bool     `json:"paddingLeft"`
	}
	command struct {
		Title     string   `json:"title"`
		Command   string   `json:"command"`
		Arguments []string `json:"arguments,omitempty"`
	}
	codeLens struct {
		Range   textRange `json:"range"`
		Command command   `json:"command"`
	}
	codeAction struct {
		Title   string  `json:"title"`
		Kind    string  `json:"kind"`
		Command command `json:"command"`
	}
)
