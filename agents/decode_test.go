package agents_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/git-trace/git-trace/agents"
)

// seldom are payloads that the recordings of real clients do not have, each with the boundary that it gives: without
// agent, session and time, which all have. "" stands for none.
var seldom = []struct{ name, agent, event, payload, want string }{
	{"a call of a sub-agent's sub-agent", "copilot-cli", "preToolUse", `{"sessionId":"a1","agentId":"a1","parentAgentId":"s","toolName":"bash","toolArgs":"{\"command\":\"make\"}"}`, `{"kind":"tool_before","limits":["tool_call_id_missing","model_unknown"],"subagent":"a1","tool":{"call_id":"","class":"run","fingerprint":"8e46e6fa54bb8181","name":"bash"},"transcript":"/home/dev/.copilot/session-state/s/events.jsonl"}`},
	{"a parent without a sub-agent", "copilot-cli", "sessionStart", `{"sessionId":"s","parentAgentId":"p","source":"new"}`, `{"kind":"session_start","source":"new","transcript":"/home/dev/.copilot/session-state/s/events.jsonl"}`},
	{"a sub-agent with a session of its own", "copilot-cli", "subagentStart", `{"sessionId":"s","agentId":"a1","agentType":"explore","parentAgentId":"p"}`, `{"kind":"subagent_start","subagent":"a1","subagent_type":"explore","transcript":"/home/dev/.copilot/session-state/s/events.jsonl"}`},
	{"what is said to a sub-agent", "copilot-cli", "userPromptSubmitted", `{"sessionId":"s","agentId":"a1","prompt":"do it"}`, ``},
	{"the end of what a sub-agent says", "copilot-cli", "agentStop", `{"sessionId":"s","agentId":"a1"}`, ``},
	{"the end of a turn", "copilot-cli", "agentStop", `{"sessionId":"s"}`, `{"kind":"turn_end","transcript":"/home/dev/.copilot/session-state/s/events.jsonl"}`},
	{"the session file of a sub-agent", "copilot-cli", "subagentStop", `{"sessionId":"s","agentId":"a1","transcriptPath":"/home/dev/.copilot/session-state/root/events.jsonl"}`, `{"kind":"subagent_end","session":"root","subagent":"a1","transcript":"/home/dev/.copilot/session-state/root/events.jsonl"}`},
	{"a session file with another name", "copilot-cli", "subagentStop", `{"sessionId":"s","agentId":"a1","transcriptPath":"/home/dev/root/other.jsonl"}`, `{"kind":"subagent_end","subagent":"a1","transcript":"/home/dev/root/other.jsonl"}`},
	{"the session file of the main conversation", "copilot-cli", "agentStop", `{"sessionId":"s","transcriptPath":"/home/dev/.copilot/session-state/root/events.jsonl"}`, `{"kind":"turn_end","transcript":"/home/dev/.copilot/session-state/root/events.jsonl"}`},
	{"another notice", "copilot-cli", "notification", `{"sessionId":"s","notification_type":"shell_completed","toolName":"bash"}`, ``},
	{"a question for consent", "copilot-cli", "notification", `{"sessionId":"s","notification_type":"permission_prompt"}`, `{"kind":"consent_asked","transcript":"/home/dev/.copilot/session-state/s/events.jsonl"}`},
	{"a reader", "copilot-cli", "preToolUse", `{"sessionId":"s","toolName":"view","toolArgs":"{\"path\":\"/work/a\"}"}`, `{"kind":"tool_before","limits":["tool_call_id_missing"],"tool":{"call_id":"","class":"read","fingerprint":"31421b3a85f5e38f","name":"view"},"transcript":"/home/dev/.copilot/session-state/s/events.jsonl"}`},

	{"roots", "cursor", "stop", `{"conversation_id":"s","workspace_roots":["/work","/other"]}`, `{"cwd":"/work","kind":"turn_end"}`},
	{"a directory and roots", "cursor", "stop", `{"conversation_id":"s","cwd":"/here","workspace_roots":["/work"]}`, `{"cwd":"/here","kind":"turn_end"}`},
	{"a directory with a colon", "cursor", "stop", `{"conversation_id":"s","cwd":"/c:/work","transcript_path":"/x:"}`, `{"cwd":"/c:/work","kind":"turn_end","transcript":"/x:"}`},
	{"a directory that is none", "cursor", "stop", `{"conversation_id":"s","cwd":"here"}`, `{"kind":"turn_end"}`},
	{"an id of the session alone", "cursor", "stop", `{"session_id":"s"}`, `{"kind":"turn_end"}`},
	{"a conversation under its own id", "cursor", "stop", `{"conversation_id":"s","parent_conversation_id":"s"}`, `{"kind":"turn_end"}`},
	{"a sub-agent with an id", "cursor", "subagentStop", `{"conversation_id":"c","subagent_id":"a","subagent_type":"explore","parent_conversation_id":"s"}`, `{"kind":"subagent_end","subagent":"a","subagent_type":"explore"}`},
	{"a reader", "cursor", "preToolUse", `{"conversation_id":"s","tool_name":"Read","tool_use_id":"t","tool_input":{"path":"/work/a"}}`, `{"kind":"tool_before","tool":{"call_id":"t","class":"read","name":"Read"}}`},
	{"a shell elsewhere", "cursor", "preToolUse", `{"conversation_id":"s","model":"m","cwd":"/work","tool_name":"Shell","tool_use_id":"t","tool_input":{"command":"touch out/a.go","working_directory":"/work/sub"}}`, `{"cwd":"/work","kind":"tool_before","model":"m","tool":{"call_id":"t","class":"run","hints":["/work/sub/out/a.go"],"name":"Shell"}}`},
	{"a new file", "cursor", "postToolUse", `{"conversation_id":"s","model":"m","cwd":"/work","tool_name":"Write","tool_use_id":"t","tool_input":{"path":"a.go","contents":"x"}}`, `{"cwd":"/work","kind":"tool_after","model":"m","tool":{"call_id":"t","class":"edit","edits":[{"new":"x","path":"/work/a.go"}],"name":"Write","paths":["/work/a.go"]}}`},
	{"a new file of another version", "cursor", "postToolUseFailure", `{"conversation_id":"s","model":"m","cwd":"/work","tool_name":"Write","tool_use_id":"t","tool_input":{"file_path":"a.go","path":"b.go","content":"x"}}`, `{"cwd":"/work","kind":"tool_failed","model":"m","tool":{"call_id":"t","class":"edit","edits":[{"new":"x","path":"/work/a.go"}],"name":"Write","paths":["/work/a.go"]}}`},
	{"the end", "cursor", "sessionEnd", `{"conversation_id":"s","reason":"completed","source":"x"}`, `{"kind":"session_end","source":"completed"}`},

	{"a shell that applies a patch", "codex-cli", "PreToolUse", `{"session_id":"s","model":"m","cwd":"/work","tool_name":"Bash","tool_use_id":"t","tool_input":{"command":"apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a.go\n+x\n*** End Patch\nEOF"}}`, `{"cwd":"/work","kind":"tool_before","model":"m","tool":{"call_id":"t","class":"edit","edits":[{"new":"x\n","path":"/work/a.go"}],"name":"Bash","paths":["/work/a.go"]}}`},
	{"a patch that was applied", "codex-cli", "PostToolUse", `{"session_id":"s","model":"m","cwd":"/work","tool_name":"apply_patch","tool_use_id":"t","tool_input":{"command":"*** Begin Patch\n*** Add File: a.go\n+x\n*** End Patch"}}`, `{"cwd":"/work","kind":"tool_after","model":"m","tool":{"call_id":"t","class":"edit","edits":[{"exact":true,"new":"x\n","path":"/work/a.go"}],"name":"apply_patch","paths":["/work/a.go"]}}`},
	{"a tool of a server", "codex-cli", "PreToolUse", `{"session_id":"s","model":"m","cwd":"/work","tool_name":"mcp__files__write","tool_use_id":"t","tool_input":{"path":"a.go"}}`, `{"cwd":"/work","kind":"tool_before","model":"m","tool":{"call_id":"t","class":"unknown","hints":["/work/a.go"],"name":"mcp__files__write"}}`},
	{"a tool of a server with another field", "codex-cli", "PreToolUse", `{"session_id":"s","model":"m","cwd":"/work","tool_name":"mcp__files__write","tool_use_id":"t","tool_input":{"path":"a.go","file_path":"b.go"}}`, `{"cwd":"/work","kind":"tool_before","model":"m","tool":{"call_id":"t","class":"unknown","hints":["/work/b.go"],"name":"mcp__files__write"}}`},
	{"a shell", "codex-cli", "PreToolUse", `{"session_id":"s","cwd":"/work","tool_name":"Bash","tool_use_id":"t","turn_id":"p1","tool_input":{"command":"make","path":"a.go"}}`, `{"cwd":"/work","kind":"tool_before","limits":["model_unknown"],"prompt":{"id":"p1"},"tool":{"call_id":"t","class":"run","name":"Bash"}}`},
	{"an interrupted turn", "codex-cli", "Interrupt", `{"session_id":"s"}`, `{"kind":"turn_end"}`},
	{"the end", "codex-cli", "SessionEnd", `{"session_id":"s","reason":"x","source":"y","trigger":"z"}`, `{"kind":"session_end","source":"x"}`},
	{"a compaction", "codex-cli", "PreCompact", `{"session_id":"s","reason":"x","source":"y","trigger":"z"}`, `{"kind":"compaction","source":"z"}`},

	{"a call that failed", "gemini-cli", "AfterTool", `{"session_id":"s","cwd":"/work","tool_name":"replace","tool_input":{"file_path":"a.go","old_string":"x","new_string":"y"},"tool_response":{"error":{"message":"no"}}}`, `{"cwd":"/work","kind":"tool_failed","limits":["tool_call_id_missing","model_unknown"],"mark":"GEMINI_CLI=1","tool":{"call_id":"","class":"edit","edits":[{"new":"y","old":"x","path":"/work/a.go"}],"fingerprint":"a6c8ec88758f4152","name":"replace","paths":["/work/a.go"]}}`},
	{"a reader that failed", "gemini-cli", "AfterTool", `{"session_id":"s","cwd":"/work","tool_name":"read_file","tool_input":{"file_path":"a.go"},"tool_response":{"error":{"message":"no"}}}`, `{"cwd":"/work","kind":"tool_failed","limits":["tool_call_id_missing"],"mark":"GEMINI_CLI=1","tool":{"call_id":"","class":"read","fingerprint":"22f9dd87b85ac4c9","name":"read_file"}}`},
	{"a call that reports an error before it is made", "gemini-cli", "BeforeTool", `{"session_id":"s","cwd":"/work","tool_name":"replace","tool_input":{"file_path":"a.go"},"tool_response":{"error":{}}}`, `{"cwd":"/work","kind":"tool_before","limits":["tool_call_id_missing","model_unknown"],"mark":"GEMINI_CLI=1","tool":{"call_id":"","class":"edit","edits":[{"path":"/work/a.go"}],"fingerprint":"1c444a6ed7ee8af3","name":"replace","paths":["/work/a.go"]}}`},
	{"another notice", "gemini-cli", "Notification", `{"session_id":"s","notification_type":"Idle"}`, ``},
	{"a start", "gemini-cli", "SessionStart", `{"session_id":"s","source":"resume","reason":"x","transcript_path":"/t.json"}`, `{"kind":"session_start","mark":"GEMINI_CLI=1","source":"resume","transcript":"/t.json"}`},

	{"results of tools for the model", "qwen-code", "UserPromptSubmit", `{"session_id":"s","prompt":" \n"}`, ``},
	{"a prompt", "qwen-code", "UserPromptSubmit", `{"session_id":"s","prompt":"do it","prompt_id":"p1"}`, `{"kind":"prompt","prompt":{"id":"p1","text":"do it"},"source":"user"}`},
	{"an answer's calls that edited", "qwen-code", "PostToolBatch", `{"session_id":"s","cwd":"/work","tool_calls":[{"tool_name":"read_file","tool_input":{"file_path":"/work/b"}},{"tool_name":"edit","tool_input":{"file_path":"/work/a"}}]}`, `{"cwd":"/work","kind":"tools_end","tool":{"call_id":"","class":"edit","name":"","paths":["/work/a"]}}`},
	{"an answer's calls that read", "qwen-code", "PostToolBatch", `{"session_id":"s","cwd":"/work","tool_calls":[{"tool_name":"read_file","tool_input":{"file_path":"/work/b"}}]}`, ``},
	{"a call with two ids", "qwen-code", "PreToolUse", `{"session_id":"s","cwd":"/work","model":"m","tool_name":"edit","tool_call_id":"c","tool_use_id":"u","tool_input":{"file_path":"/work/a"}}`, `{"cwd":"/work","kind":"tool_before","model":"m","tool":{"call_id":"c","class":"edit","edits":[{"path":"/work/a"}],"name":"edit","paths":["/work/a"]}}`},
	{"a call with the other id", "qwen-code", "PreToolUse", `{"session_id":"s","cwd":"/work","model":"m","tool_name":"edit","tool_use_id":"u","tool_input":{"file_path":"/work/a"}}`, `{"cwd":"/work","kind":"tool_before","model":"m","tool":{"call_id":"u","class":"edit","edits":[{"path":"/work/a"}],"name":"edit","paths":["/work/a"]}}`},
	{"a shell that lasted", "qwen-code", "PostToolUse", `{"session_id":"s","cwd":"/work","tool_name":"run_shell_command","tool_use_id":"u","tool_input":{"command":"make"},"duration_ms":1500}`, `{"cwd":"/work","kind":"tool_after","limits":["model_unknown"],"tool":{"call_id":"u","class":"run","lasted":1500,"name":"run_shell_command"}}`},
	{"an edit that lasted", "qwen-code", "PostToolUse", `{"session_id":"s","cwd":"/work","model":"m","tool_name":"edit","tool_use_id":"u","tool_input":{"file_path":"/work/a"},"duration_ms":1500}`, `{"cwd":"/work","kind":"tool_after","model":"m","tool":{"call_id":"u","class":"edit","edits":[{"path":"/work/a"}],"name":"edit","paths":["/work/a"]}}`},
	{"a reader", "qwen-code", "PreToolUse", `{"session_id":"s","cwd":"/work","tool_name":"read_file","tool_use_id":"u","tool_input":{"file_path":"/work/a"}}`, `{"cwd":"/work","kind":"tool_before","tool":{"call_id":"u","class":"read","name":"read_file"}}`},

	{"one replacement", "pi", "tool_call", `{"session_id":"s","cwd":"/work","model":"m","tool_name":"edit","tool_call_id":"t","input":{"path":"a.go","oldText":"x","newText":"y"}}`, `{"cwd":"/work","kind":"tool_before","model":"m","tool":{"call_id":"t","class":"edit","edits":[{"new":"y","old":"x","path":"/work/a.go"}],"name":"edit","paths":["/work/a.go"]}}`},
	{"several replacements", "pi", "tool_call", `{"session_id":"s","cwd":"/work","model":"m","tool_name":"edit","tool_call_id":"t","input":{"path":"a.go","edits":[{"oldText":"x","newText":"y"},{"oldText":"v","newText":"w"}]}}`, `{"cwd":"/work","kind":"tool_before","model":"m","tool":{"call_id":"t","class":"edit","edits":[{"new":"y","old":"x","path":"/work/a.go"},{"new":"w","old":"v","path":"/work/a.go"}],"name":"edit","paths":["/work/a.go"]}}`},
	{"one and several", "pi", "tool_call", `{"session_id":"s","cwd":"/work","model":"m","tool_name":"edit","tool_call_id":"t","input":{"path":"a.go","newText":"y","edits":[{"oldText":"v","newText":"w"}]}}`, `{"cwd":"/work","kind":"tool_before","model":"m","tool":{"call_id":"t","class":"edit","edits":[{"new":"y","path":"/work/a.go"},{"new":"w","old":"v","path":"/work/a.go"}],"name":"edit","paths":["/work/a.go"]}}`},
	{"a line that goes", "pi", "tool_call", `{"session_id":"s","cwd":"/work","model":"m","tool_name":"edit","tool_call_id":"t","input":{"path":"a.go","oldText":"x","edits":[]}}`, `{"cwd":"/work","kind":"tool_before","model":"m","tool":{"call_id":"t","class":"edit","edits":[{"old":"x","path":"/work/a.go"}],"name":"edit","paths":["/work/a.go"]}}`},
	{"a new file", "pi", "tool_result", `{"session_id":"s","cwd":"/work","tool_name":"write","tool_call_id":"t","input":{"path":"a.go","content":"x","oldText":"y"}}`, `{"cwd":"/work","kind":"tool_after","limits":["model_unknown"],"tool":{"call_id":"t","class":"edit","edits":[{"new":"x","path":"/work/a.go"}],"name":"write","paths":["/work/a.go"]}}`},
	{"a call that failed", "pi", "tool_result", `{"session_id":"s","cwd":"/work","model":"m","tool_name":"bash","tool_call_id":"t","is_error":true,"input":{"command":"make"}}`, `{"cwd":"/work","kind":"tool_failed","model":"m","tool":{"call_id":"t","class":"run","name":"bash"}}`},
	{"a turn's end that says error", "pi", "agent_end", `{"session_id":"s","is_error":true,"reason":"x"}`, `{"kind":"turn_end"}`},
	{"the end", "pi", "session_shutdown", `{"session_id":"s","reason":"quit","session_file":"/s.jsonl"}`, `{"kind":"session_end","source":"quit","transcript":"/s.jsonl"}`},

	{"the start of a sub-agent", "opencode", "session.created", `{"session_id":"s","subagent_id":"a"}`, `{"kind":"subagent_start","subagent":"a"}`},
	{"a start", "opencode", "session.created", `{"session_id":"s"}`, `{"kind":"session_start","source":"startup"}`},
	{"the end of a sub-agent", "opencode", "session.idle", `{"session_id":"s","subagent_id":"a"}`, `{"kind":"subagent_end","subagent":"a"}`},
	{"the end of a turn", "opencode", "session.idle", `{"session_id":"s"}`, `{"kind":"turn_end"}`},
	{"what is said to a sub-agent", "opencode", "chat.message", `{"session_id":"s","subagent_id":"a","prompt":"do it","prompt_id":"p1"}`, `{"kind":"prompt","prompt":{"id":"p1","text":"do it"},"source":"user","subagent":"a"}`},
	{"a patch", "opencode", "tool.execute.before", `{"session_id":"s","cwd":"/work","model":"m","tool_name":"apply_patch","call_id":"t","input":{"filePath":"/work/b.go","patchText":"*** Begin Patch\n*** Add File: a.go\n+x\n*** End Patch"}}`, `{"cwd":"/work","kind":"tool_before","model":"m","tool":{"call_id":"t","class":"edit","edits":[{"new":"x\n","path":"/work/a.go"}],"name":"apply_patch","paths":["/work/a.go"]}}`},
	{"an edit", "opencode", "tool.execute.before", `{"session_id":"s","cwd":"/work","model":"m","tool_name":"edit","call_id":"t","input":{"filePath":"/work/b.go","oldString":"x","newString":"y"}}`, `{"cwd":"/work","kind":"tool_before","model":"m","tool":{"call_id":"t","class":"edit","edits":[{"new":"y","old":"x","path":"/work/b.go"}],"name":"edit","paths":["/work/b.go"]}}`},
	{"a tool that has a field like a patch", "opencode", "tool.execute.before", `{"session_id":"s","cwd":"/work","tool_name":"other","call_id":"t","input":{"filePath":"/work/b.go","patchText":"*** Begin Patch\n*** Add File: a.go\n+x\n*** End Patch"}}`, `{"cwd":"/work","kind":"tool_before","limits":["model_unknown"],"tool":{"call_id":"t","class":"unknown","hints":["/work/b.go"],"name":"other"}}`},
	{"a shell that was rejected", "opencode", "tool.failed", `{"session_id":"s","cwd":"/work","model":"m","tool_name":"bash","call_id":"t","rejected":true,"duration_ms":7,"input":{"command":"touch out/a.go","workdir":"/work/sub"}}`, `{"cwd":"/work","kind":"tool_failed","model":"m","tool":{"call_id":"t","class":"run","hints":["/work/sub/out/a.go"],"lasted":7,"name":"bash","rejected":true}}`},
	{"an edit that lasted", "opencode", "tool.execute.after", `{"session_id":"s","cwd":"/work","model":"m","tool_name":"edit","call_id":"t","duration_ms":7,"input":{"filePath":"/work/b.go"}}`, `{"cwd":"/work","kind":"tool_after","model":"m","tool":{"call_id":"t","class":"edit","edits":[{"path":"/work/b.go"}],"name":"edit","paths":["/work/b.go"]}}`},

	{"another agent's name", "generic", "turn-end", `{"session":"s","agent":"my-agent","running":["t1"]}`, `{"agent":"my-agent","kind":"turn_end","running":["t1"]}`},
	{"a name that is none", "generic", "turn-end", `{"session":"s","agent":"my agent"}`, `{"kind":"turn_end"}`},
	{"what still runs, and no end", "generic", "prompt", `{"session":"s","running":["t1"],"source":"task","prompt":{"id":"p1","text":"go on"}}`, `{"kind":"prompt","prompt":{"id":"p1","text":"go on"},"source":"task"}`},
	{"a prompt of a person", "generic", "prompt", `{"session":"s","source":"other"}`, `{"kind":"prompt","source":"user"}`},
	{"the source of another event", "generic", "session-start", `{"session":"s","source":"task","prompt":{"id":"p1","text":"x"}}`, `{"kind":"session_start","prompt":{"id":"p1"},"source":"task"}`},
	{"an edit of two files", "generic", "tool-after", `{"session":"s","cwd":"/work","model":"m","prompt":{"id":"p1","text":"x"},"tool":{"id":"t","does":"edits","paths":["a","b","a"],"edits":[{"path":"b","old":"x","new":"y"},{"path":"c","before":"1","after":"2"},{"old":"z"}]}}`, `{"cwd":"/work","kind":"tool_after","model":"m","prompt":{"id":"p1"},"tool":{"call_id":"t","class":"edit","edits":[{"new":"y","old":"x","path":"/work/b"},{"after":"2","before":"1","path":"/work/c"}],"name":"","paths":["/work/a","/work/b","/work/c"]}}`},
	{"a call without an id", "generic", "tool-before", `{"session":"s","cwd":"/work","tool":{"does":"edits","paths":["b","a","b"],"edits":[{"path":"c"}]}}`, `{"cwd":"/work","kind":"tool_before","limits":["tool_call_id_missing","model_unknown"],"tool":{"call_id":"","class":"edit","edits":[{"path":"/work/c"}],"fingerprint":"041cde503a47b544","name":"","paths":["/work/b","/work/a","/work/c"]}}`},
	{"the same call", "generic", "tool-after", `{"session":"s","cwd":"/work","tool":{"does":"edits","paths":["c","a","b"]}}`, `{"cwd":"/work","kind":"tool_after","limits":["tool_call_id_missing","model_unknown"],"tool":{"call_id":"","class":"edit","fingerprint":"041cde503a47b544","name":"","paths":["/work/c","/work/a","/work/b"]}}`},
	{"a shell in the background", "generic", "tool-after", `{"session":"s","cwd":"/work","model":"m","tool":{"id":"t","does":"runs","command":"touch out/a.go","paths":["a"],"background":true,"task":"t9"}}`, `{"cwd":"/work","kind":"tool_after","model":"m","tool":{"background":true,"call_id":"t","class":"run","hints":["/work/a","/work/out/a.go"],"name":"","task_id":"t9"}}`},
	{"a task that is none", "generic", "tool-after", `{"session":"s","cwd":"/work","model":"m","tool":{"id":"t","does":"runs","task":"no such\nid"}}`, `{"cwd":"/work","kind":"tool_after","model":"m","tool":{"call_id":"t","class":"run","name":""}}`},
	{"a reader", "generic", "tool-failed", `{"session":"s","cwd":"/work","tool":{"id":"t","does":"reads","paths":["a"]}}`, `{"cwd":"/work","kind":"tool_failed","tool":{"call_id":"t","class":"read","name":""}}`},
	{"a tool that says nothing", "generic", "tool-before", `{"session":"s","cwd":"/work","tool":"x"}`, `{"cwd":"/work","kind":"tool_before","limits":["tool_call_id_missing","model_unknown"],"tool":{"call_id":"","class":"unknown","fingerprint":"fb62272e99a39e13","name":""}}`},
	{"many paths of a shell", "generic", "tool-before", `{"session":"s","cwd":"/w","model":"m","tool":{"id":"t","does":"runs","paths":["1","2","3","4","5","6","7","8","9","10","11","12","13","14","15","16","17"]}}`, `{"cwd":"/w","kind":"tool_before","model":"m","tool":{"call_id":"t","class":"run","hints":["/w/1","/w/2","/w/3","/w/4","/w/5","/w/6","/w/7","/w/8","/w/9","/w/10","/w/11","/w/12","/w/13","/w/14","/w/15","/w/16"],"name":""}}`},

	{"a directory that changes", "claude-code", "CwdChanged", `{"session_id":"s","cwd":"/old","new_cwd":"/new"}`, `{"cwd":"/new","kind":"cwd_changed"}`},
	{"a directory that changes to none", "claude-code", "CwdChanged", `{"session_id":"s","cwd":"/old","new_cwd":"new"}`, `{"cwd":"/old","kind":"cwd_changed"}`},
	{"the end of a task", "claude-code", "UserPromptSubmit", `{"session_id":"s","prompt":" <task-notification>x","prompt_id":"p1"}`, `{"kind":"prompt","prompt":{"id":"p1","text":" <task-notification>x"},"source":"task"}`},
	{"a prompt that names one", "claude-code", "UserPromptSubmit", `{"session_id":"s","prompt":"what is <task-notification>?"}`, `{"kind":"prompt","prompt":{"text":"what is <task-notification>?"},"source":"user"}`},
	{"tasks that run", "claude-code", "SubagentStop", `{"session_id":"s","agent_id":"a1","background_tasks":[{"id":"a1","status":"running"},{"id":"b1","status":"running"},{"id":"c1","status":"completed"},{"id":"no such\nid","status":"running"}]}`, `{"kind":"subagent_end","running":["b1"],"subagent":"a1"}`},
	{"no tasks", "claude-code", "Stop", `{"session_id":"s","background_tasks":[]}`, `{"kind":"turn_end"}`},
	{"a client that tells nothing of tasks", "claude-code", "Stop", `{"session_id":"s"}`, `{"kind":"turn_end"}`},
	{"calls that edited", "claude-code", "PostToolBatch", `{"session_id":"s","cwd":"/work","tool_calls":[{"tool_name":"Read","tool_input":{"file_path":"/work/b"}},{"tool_name":"Edit","tool_input":{"file_path":"/work/a"}},{"tool_name":"Edit","tool_input":{}},{"tool_name":"Write","tool_input":{"file_path":"/work/c"}}]}`, `{"cwd":"/work","kind":"tools_end","tool":{"call_id":"","class":"edit","name":"","paths":["/work/a","/work/c"]}}`},
	{"calls that read", "claude-code", "PostToolBatch", `{"session_id":"s","cwd":"/work","tool_calls":[{"tool_name":"Read","tool_input":{"file_path":"/work/b"}}]}`, ``},
	{"a shell in the background", "claude-code", "PreToolUse", `{"session_id":"s","cwd":"/work","model":"m","tool_name":"Bash","tool_use_id":"t","prompt_id":"p1","agent_id":"a1","tool_input":{"command":"make","run_in_background":true}}`, `{"cwd":"/work","kind":"tool_before","model":"m","prompt":{"id":"p1"},"subagent":"a1","tool":{"background":true,"call_id":"t","class":"run","name":"Bash"}}`},
	{"a shell that went there", "claude-code", "PostToolUse", `{"session_id":"s","cwd":"/work","model":"m","tool_name":"Bash","tool_use_id":"t","duration_ms":1500,"tool_input":{"command":"make"},"tool_response":{"backgroundTaskId":"b1"}}`, `{"cwd":"/work","kind":"tool_after","model":"m","tool":{"background":true,"call_id":"t","class":"run","lasted":1500,"name":"Bash","task_id":"b1"}}`},
	{"an edit that lasted", "claude-code", "PostToolUse", `{"session_id":"s","cwd":"/work","model":"m","tool_name":"Edit","tool_use_id":"t","duration_ms":1500,"tool_input":{"old_string":"x","new_string":"y"},"tool_response":{"filePath":"/work/a"}}`, `{"cwd":"/work","kind":"tool_after","model":"m","tool":{"call_id":"t","class":"edit","edits":[{"exact":true,"new":"y","old":"x","path":"/work/a"}],"name":"Edit","paths":["/work/a"]}}`},
	{"a tool of a server", "claude-code", "PreToolUse", `{"session_id":"s","cwd":"/work","tool_name":"mcp__files__write","tool_use_id":"t","tool_input":{"path":"a.go"}}`, `{"cwd":"/work","kind":"tool_before","limits":["model_unknown"],"tool":{"call_id":"t","class":"unknown","hints":["/work/a.go"],"name":"mcp__files__write"}}`},
	{"a reader", "claude-code", "PreToolUse", `{"session_id":"s","cwd":"/work","tool_name":"Read","tool_use_id":"t","tool_input":{"file_path":"/work/a"}}`, `{"cwd":"/work","kind":"tool_before","tool":{"call_id":"t","class":"read","name":"Read"}}`},
}

func TestPayloadsThatClientsSeldomSend(t *testing.T) {
	t.Parallel()
	for _, test := range seldom {
		agent, _ := agents.Lookup(environment(), test.agent)
		boundaries, err := agent.Decoder.Decode(test.event, []byte(test.payload))
		if err != nil || len(boundaries) > 1 {
			t.Fatalf("%s, %s: %d boundaries, %v", test.agent, test.name, len(boundaries), err)
		}
		got := ""
		if len(boundaries) > 0 {
			checkBoundary(t, test.agent, boundaries[0])
			got = told(t, boundaries[0], test.agent)
		}
		if got != test.want {
			t.Errorf("%s, %s: %s\ngives %s\nwant %s", test.agent, test.name, test.payload, got, test.want)
		}
	}
}

// told is a boundary without what all of a table have.
func told(t *testing.T, boundary any, agent string) string {
	t.Helper()
	raw, err := json.Marshal(boundary)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(raw, &fields); err != nil {
		t.Fatal(err)
	}
	for name, common := range map[string]string{"agent": agent, "session": "s", "time": "2026-03-04T05:06:07Z"} {
		if fields[name] == common {
			delete(fields, name)
		}
	}
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(fields); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out.String())
}
