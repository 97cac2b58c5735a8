// Package otlp receives telemetry of agents' clients over HTTP on the loopback device, for git trace watch --otlp.
//
// It decodes both encodings of OTLP/HTTP, JSON and binary protobuf, and passes spans and log events of conversations to
// a [Taker]. Only the Taker knows and stores conversations. Metrics get an answer, and are dropped.
//
// Promises:
//
//   - It listens only on 127.0.0.1 and ::1. A request needs the token and the server's own name as its host, and must
//     not come from a page in a browser.
//   - There are limits for the size of a body (compressed and decompressed), its depth, its number of spans, the time,
//     and the number of connections. One body is decoded at a time.
//   - A request succeeds only after the taker has taken its events. A client without that answer sends them again.
package otlp
