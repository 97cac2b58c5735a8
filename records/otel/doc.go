// Package otel reads and writes conversations as spans of OpenTelemetry: the GenAI conventions, OpenInference, and the
// spans of Vercel's AI SDK. It reads OTLP in JSON, whole or one document a line, and flat lists of spans; it writes
// OTLP in JSON, one document a conversation.
//
// Spans with one id of a conversation or session, else with one trace, make a conversation. Each span of a model call
// is a step. New parts of its input come before it. Spans of tools give results and durations. If no content was
// recorded, the steps have models, tokens and times, and the record says so.
//
// An agent within an agent, by their spans, is a subagent: its steps follow the step with the call that started it. If
// two spans describe one agent, by its name, they are not nested.
package otel
