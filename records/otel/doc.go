// Package otel reads and writes conversations as spans of OpenTelemetry: the GenAI conventions, OpenInference, and what
// the AI SDK of Vercel writes. Read are OTLP in JSON, whole or one document a line, and flat lists of spans; written is
// OTLP in JSON, one document a conversation.
//
// Spans with one id of a conversation or session, else with one trace, make a conversation. Each span of a model call
// is a step. What its input has that was not said before comes before it. Spans of tools give results and durations.
// Where no content was recorded there are steps with models, tokens and times, and the record says so.
//
// An agent within an agent, by their spans, is a subagent: its steps stand after the step with the call that started
// it. Where two spans tell of one agent, by its name, there is none within another.
package otel
