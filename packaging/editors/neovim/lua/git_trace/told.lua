-- Tells git-trace which lines a person typed and which completions they accepted. docs/agents.md#editors has the form.
local M = {}

-- For each buffer, the lines that were written since the last event about it: the words of a typed line, false for a
-- line into which anything else put words. Only typing is told: text from a register, a popup, a formatter or a plugin
-- is not, though a person may have asked for it.
local written = {}
local char -- the character that a key is about to insert
local stuffed = false -- the keys come from a register or are repeated
local accepting = 0
local queue, job = {}, nil -- one process at a time, so that events stay in order
local hinted = false

local function words(line) return (line:gsub('%s', '')) end

local function has_words(line) return line:find('[%w_\128-\255]') ~= nil end

local function row_of(buffer, row) return vim.api.nvim_buf_get_lines(buffer, row, row + 1, false)[1] or '' end

-- text returns what the file of a buffer would hold, or nil if git-trace does not read such a file.
local function text(buffer)
  local options = vim.bo[buffer]
  if options.buftype ~= '' or options.binary or vim.api.nvim_buf_get_name(buffer) == ''
    or not vim.tbl_contains({ '', 'utf-8' }, options.fileencoding) then
    return nil
  end
  local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  if #lines == 1 and lines[1] == '' then
    return ''
  end
  local ends = ({ dos = '\r\n', mac = '\r' })[options.fileformat] or '\n'
  return table.concat(lines, ends) .. ((options.endofline or options.fixendofline) and ends or '')
end

-- typed returns the typed lines of a buffer as runs: the first and the last line of each, from 1.
local function typed(buffer)
  local rows, runs = {}, {}
  for row, line in pairs(written[buffer] or {}) do
    table.insert(rows, line and row or nil)
  end
  table.sort(rows)
  for _, row in ipairs(rows) do
    if #runs > 0 and runs[#runs][2] == row then
      runs[#runs][2] = row + 1
    else
      table.insert(runs, { row + 1, row + 1 })
    end
  end
  return runs
end

local function start()
  local event = table.remove(queue, 1)
  if not event then
    return
  end
  local command = { M.program, 'hook', 'generic', event.name }
  local started, id = pcall(vim.fn.jobstart, command, {
    on_exit = function()
      job = nil
      start()
    end,
  })
  if not started or id <= 0 then
    queue = {}
    if not hinted then
      hinted = true
      vim.notify('git-trace: ' .. M.program .. ' does not start; completions are not told', vim.log.levels.INFO)
    end
    return
  end
  job = id
  vim.fn.chansend(job, event.payload)
  vim.fn.chanclose(job, 'stdin')
end

local function tell(name, agent, buffer, edit)
  edit.path = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buffer), ':p')
  local payload = {
    agent = agent,
    session = M.session,
    cwd = vim.fn.fnamemodify(edit.path, ':h'),
    time = os.date('!%Y-%m-%dT%H:%M:%SZ'),
    tool = { edits = { edit } },
  }
  table.insert(queue, { name = name, payload = vim.json.encode(payload) })
  written[buffer] = {}
  if not job then
    start()
  end
end

-- whose returns what is known of a row behind a change: its words if they were typed, false if not, nil if it is old.
-- kept are the rows before the change that have words in it; lost counts the typed lines that were replaced.
local function whose(line, put, by_hand, kept, lost)
  if has_words(put) then
    if by_hand then
      return kept[1] ~= false and kept[2] ~= false and words(line)
    end
    local same = words(line)
    if lost[same] and lost[same] > 0 then -- a formatter wrote it anew
      lost[same] = lost[same] - 1
      return same
    end
    return false
  end
  if kept[1] == false or kept[2] == false then
    return false
  end
  if kept[1] == nil and kept[2] == nil then
    return by_hand and not kept.old and words(line) or nil
  end
  return not kept.old and words(line) or nil
end

local function changed(_, buffer, _, row, column, _, old_rows, _, _, new_rows, new_column)
  local lines, was, lost = written[buffer], {}, {}
  if not lines then
    return true -- detaches
  end
  local inserting = vim.api.nvim_get_mode().mode:match('^[iR]') and accepting == 0 and not stuffed
  local typing, key = inserting and new_rows == 0 and old_rows == 0, char
  char = nil
  for at = row, row + old_rows do
    was[at], lines[at] = lines[at], nil
    if was[at] then
      lost[was[at]] = (lost[was[at]] or 0) + 1
    end
  end
  if new_rows ~= old_rows then
    local moved = {}
    for at, line in pairs(lines) do
      moved[at < row and at or at - old_rows + new_rows] = line
    end
    lines, written[buffer] = moved, moved
  end
  local last = new_rows == 0 and column + new_column or new_column
  for at = row, row + new_rows do
    local line = row_of(buffer, at)
    local from, to = at == row and column or 0, at == row + new_rows and last or #line
    local put, kept = line:sub(from + 1, to), {}
    local function keeps(part, of)
      if part:find('%S') then
        table.insert(kept, was[of])
        kept.old = kept.old or was[of] == nil
      end
    end
    if at == row then
      keeps(line:sub(1, from), row)
    end
    if at == row + new_rows then
      keeps(line:sub(to + 1), row + old_rows)
    end
    local by_hand = inserting and (not has_words(put) or typing and put == key)
    lines[at] = whose(line, put, by_hand, kept, lost)
  end
end

local function attach(buffer)
  if written[buffer] or text(buffer) == nil then
    return
  end
  written[buffer] = {}
  vim.api.nvim_buf_attach(buffer, false, {
    on_bytes = changed,
    on_detach = function() written[buffer] = nil end,
  })
end

-- in_sight returns the files in the windows as they are now.
local function in_sight()
  local files = {}
  for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local buffer = vim.api.nvim_win_get_buf(window)
    files[buffer] = files[buffer] or { text = text(buffer), typed = typed(buffer) }
  end
  return files
end

local function differs(files)
  for buffer, was in pairs(files) do
    if vim.api.nvim_buf_is_valid(buffer) and was.text ~= text(buffer) then
      return true
    end
  end
  return false
end

local function accepted(agent, files)
  for buffer, was in pairs(files) do
    local now = was.text and vim.api.nvim_buf_is_valid(buffer) and text(buffer)
    if now and now ~= was.text then
      tell('completion', agent, buffer, { before = was.text, after = now, typed = #was.typed > 0 and was.typed or nil })
    end
  end
end

-- calling returns a function that accepts and is told. A plugin may change the buffer at once or when the editor waits
-- again; what stands in front of that in the queue is no part of the completion.
local function calling(agent, accept)
  return function(...)
    if accepting > 0 then
      return accept(...)
    end
    local files, done = in_sight(), false
    local waiting = files
    vim.schedule(function()
      if not done then
        waiting, accepting = in_sight(), 1
      end
    end)
    accepting = 1
    local answer = { pcall(accept, ...) }
    accepting = 0
    if differs(files) then
      done = true
      accepted(agent, files)
    else
      vim.schedule(function()
        accepting = 0
        accepted(agent, waiting)
      end)
    end
    if not answer[1] then
      error(answer[2], 0)
    end
    return unpack(answer, 2)
  end
end

-- giving returns a function that gives the keys that accept, followed by one that tells of it.
local open -- the files before the keys

function M.given(agent)
  accepting = 0
  accepted(agent, open)
end

local function giving(agent, accept, offered)
  return function(...)
    local files, is_offered = in_sight(), offered()
    local keys = accept(...)
    if not is_offered then
      return keys
    end
    open, accepting = files, 1
    return keys .. ('<Cmd>lua require("git_trace.told").given("%s")<CR>'):format(agent)
  end
end

-- The functions by which plugins accept a suggestion. Each plugin documents them, or its keys call them.
local plugins = {
  ['copilot.suggestion'] = function(plugin)
    for _, name in ipairs({ 'accept', 'accept_word', 'accept_line' }) do
      plugin[name] = plugin[name] and calling('copilot', plugin[name])
    end
  end,
  ['copilot.panel'] = function(plugin) plugin.accept = plugin.accept and calling('copilot', plugin.accept) end,
  ['codeium.virtual_text'] = function(plugin)
    local function offered()
      return not plugin.get_current_completion_item or plugin.get_current_completion_item() ~= nil
    end
    for _, name in ipairs({ 'accept', 'accept_next_word', 'accept_next_line' }) do
      plugin[name] = plugin[name] and giving('codeium', plugin[name], offered)
    end
  end,
}

-- load wraps a plugin when it is first required, before its keys are set.
local function load(name)
  if not plugins[name] then
    return nil
  end
  for _, loader in ipairs(package.loaders) do
    local found = loader ~= load and loader(name)
    if type(found) == 'function' then
      return function(...)
        local plugin = found(...)
        if type(plugin) == 'table' then
          plugins[name](plugin)
        end
        return plugin
      end
    end
  end
end

function M.setup(program)
  M.program = program
  if M.session then
    return
  end
  M.session = ('nvim-%d-%d'):format(vim.fn.getpid(), vim.fn.localtime())
  table.insert(package.loaders, 1, load)
  for name, wrap in pairs(plugins) do
    if type(package.loaded[name]) == 'table' then
      wrap(package.loaded[name])
    end
  end
  vim.on_key(function(key)
    -- In insert mode ^R and ^A insert text that is not typed, and so does a dot in normal mode.
    if not stuffed and (key == '\18' or key == '\1' or key == '.' and vim.api.nvim_get_mode().mode == 'n') then
      stuffed = true
      vim.schedule(function() stuffed = false end)
    end
  end)
  local group = vim.api.nvim_create_augroup('git_trace_told', {})
  local function on(events, callback)
    vim.api.nvim_create_autocmd(events, { group = group, callback = callback })
  end
  on({ 'BufEnter', 'BufReadPost', 'BufFilePost', 'InsertEnter' }, function(event) attach(event.buf) end)
  on('InsertCharPre', function() char = vim.v.char end)
  on('BufWritePost', function(event)
    local name = vim.api.nvim_buf_get_name(event.buf)
    local lines, after = typed(event.buf), text(event.buf)
    if #lines > 0 and after and vim.fn.fnamemodify(event.match, ':p') == vim.fn.fnamemodify(name, ':p') then
      tell('saved', 'neovim', event.buf, { after = after, typed = lines })
    end
    written[event.buf] = written[event.buf] and {}
  end)
  on('VimLeavePre', function()
    vim.wait(2000, function() return not job end, 5)
  end)
  attach(vim.api.nvim_get_current_buf())
end

return M
