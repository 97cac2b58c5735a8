// Package otel reads and writes conversations as OpenTelemetry spans: the GenAI conventions, OpenInference, and the
// spans of Vercel's AI SDK. It reads OTLP in JSON, as one document or one document on each line, and flat lists of
// spans. It writes OTLP in JSON, one document for each conversation.
//
// A conversation consists of the spans with the same conversation or session id or, without such an id, of the same
// trace. Each span of a model call becomes a step. The parts of its input that are new become earlier steps. Tool spans
// provide results and durations. If no content was recorded, the steps have models, tokens and times, and the record
// says that content is missing.
//
// If the spans show an agent within an agent, the inner one is a subagent: its steps follow the step with the call that
// started it. Two nested spans with the same agent name describe one agent, not two.
package otel
