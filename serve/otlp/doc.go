// Package otlp takes telemetry of agents' clients over HTTP, on the loopback device: the receiver of git trace watch
// --otlp.
//
// It decodes both encodings of OTLP/HTTP, JSON and binary protobuf, and hands the spans and log events that concern a
// conversation to a [Taker], which alone knows conversations and stores. Metrics are answered and dropped.
//
// Promises:
//
//   - It listens on 127.0.0.1 and ::1 alone. A request needs the token, the server's own name as its host, and comes
//     from no page of a browser.
//   - The size of a body, as sent and uncompressed, its depth, its spans, the time and the number of connections have
//     bounds. One body is decoded at a time.
//   - A request is answered with success when the taker has taken its events. A client that gets no such answer sends
//     them again.
package otlp
