package search

import (
	"fmt"

	"github.com/git-trace/git-trace/refs/codec"
)

// A digest is stored as its fields, one after the other. Lists of conversations read all digests, and decoding JSON
// took most of their time.
func (d *Digest) fields(f codec.Fields) {
	d.head(f)
	codec.Texts(f, &d.Unreadable, &d.Name, &d.PromptText, &d.CostBy, &d.PricesAsOf)
	codec.Numbers(f, &d.PromptIndex, &d.HeldPrompts, &d.LastPrompt, &d.Generation, &d.Steps, &d.Prompts, &d.Calls,
		&d.Redactions)
	codec.Numbers(f, &d.Input, &d.Output, &d.CacheRead, &d.CacheWrite)
	codec.Optional(f, &d.Cost, f.Float)
	codec.SignedList(f, &d.Models, func(m *ModelUse) {
		f.Text(&m.Model)
		codec.Number(f, &m.Steps)
		codec.Numbers(f, &m.Input, &m.Output, &m.CacheRead, &m.CacheWrite)
	})
	codec.SignedList(f, &d.Commits, func(c *string) { f.Text(c) })
	codec.Number(f, &d.segment)
	codec.Number(f, &d.conversation)
}

// head is the first part of a digest. It contains the times of the conversation.
func (d *Digest) head(f codec.Fields) {
	codec.Word(f, &d.Trace)
	f.OID(&d.Blob)
	f.Flag(&d.Own)
	f.Flag(&d.Blocked)
	codec.Texts(f, &d.Agent, &d.Session, &d.Title, &d.Start, &d.End)
}

func appendDigest(raw []byte, d *Digest) []byte {
	w := codec.Writer{Out: raw}
	d.fields(&w)
	return w.Out
}

// nextDigest decodes a digest.
func nextDigest(r *codec.Reader) (d Digest, err error) {
	if d.fields(r); r.Failed {
		return Digest{}, fmt.Errorf("%w: a digest", errDamaged)
	}
	return d, nil
}
