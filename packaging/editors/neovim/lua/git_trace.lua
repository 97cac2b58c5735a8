-- Who wrote a line, and why: git trace lsp in Neovim 0.7 and newer. docs/editors.md tells how it is used.
local M = {}

local space = vim.api.nvim_create_namespace('git_trace')
local shown = {} -- buffers in which the prompts stand behind the lines
local client_id

local function note(text)
  vim.notify('git-trace: ' .. text, vim.log.levels.INFO)
end

-- The server is started at the first question, once for all buffers.
local function client(buffer)
  if not client_id or not vim.lsp.get_client_by_id(client_id) then
    client_id = vim.lsp.start_client({
      name = 'git-trace',
      cmd = M.command,
      root_dir = vim.fn.getcwd(),
      init_options = { copy = true },
    })
  end
  if client_id and not vim.lsp.buf_is_attached(buffer, client_id) then
    vim.lsp.buf_attach_client(buffer, client_id)
  end
  return client_id and vim.lsp.get_client_by_id(client_id)
end

-- ask has the server answer a request; done gets what it says, if that is anything.
local function ask(buffer, method, params, done)
  local server = client(buffer)
  if not server then
    return note('git trace lsp does not start')
  end
  local function send()
    server.request(method, params, function(err, result)
      if err then
        return note(err.message)
      end
      done(result)
    end, buffer)
  end
  if server.initialized then
    return send()
  end
  vim.wait(2000, function() return server.initialized end, 10)
  send()
end

local function document(buffer)
  return { uri = vim.uri_from_bufnr(buffer) }
end

-- page shows Markdown in a window of its own, which q closes.
local function page(text)
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(text, '\n'))
  vim.bo[buffer].filetype = 'markdown'
  vim.bo[buffer].bufhidden = 'wipe'
  vim.bo[buffer].modifiable = false
  vim.cmd('botright split')
  vim.api.nvim_win_set_buf(0, buffer)
  vim.keymap.set('n', 'q', '<cmd>close<cr>', { buffer = buffer, nowait = true })
end

-- draw puts agent and prompt behind the first line of what one prompt wrote, and a sign beside each of its lines.
local function draw(buffer)
  ask(buffer, 'gitTrace/runs', { textDocument = document(buffer) }, function(answer)
    if not vim.api.nvim_buf_is_valid(buffer) then
      return
    end
    vim.api.nvim_buf_clear_namespace(buffer, space, 0, -1)
    if not answer or answer == vim.NIL or not shown[buffer] then
      return
    end
    local last = vim.api.nvim_buf_line_count(buffer)
    for _, block in ipairs(answer.blocks) do
      local colour = 'GitTrace' .. block.hue
      for line = block.start, math.min(block.start + block.count - 1, last) do
        vim.api.nvim_buf_set_extmark(buffer, space, line - 1, 0, {
          virt_text = line == block.start and { { '  ' .. block.label, colour } } or nil,
          sign_text = M.signs and '▌' or nil,
          sign_hl_group = M.signs and colour or nil,
        })
      end
    end
  end)
end

function M.toggle()
  local buffer = vim.api.nvim_get_current_buf()
  shown[buffer] = not shown[buffer] or nil
  if shown[buffer] then
    return draw(buffer)
  end
  vim.api.nvim_buf_clear_namespace(buffer, space, 0, -1)
end

-- run has the server do what the first code action of that command says; done gets what it gives.
local function run(command, done)
  local buffer = vim.api.nvim_get_current_buf()
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  local at = { line = line, character = 0 }
  local params = { textDocument = document(buffer), range = { start = at, ['end'] = at }, context = { diagnostics = {} } }
  ask(buffer, 'textDocument/codeAction', params, function(actions)
    for _, action in ipairs(actions or {}) do
      if action.command.command == command then
        local what = { command = command, arguments = action.command.arguments }
        return ask(buffer, 'workspace/executeCommand', what, done)
      end
    end
    note('no conversation is known to have written this line')
  end)
end

function M.why() run('gitTrace.why', page) end

function M.show() run('gitTrace.show', page) end

function M.browse() run('gitTrace.open', function() end) end

function M.copy()
  run('gitTrace.copy', function(id)
    vim.fn.setreg('"', id)
    if vim.fn.has('clipboard') == 1 then
      vim.fn.setreg('+', id)
    end
    note(id)
  end)
end

-- setup makes the commands. Options: command, the server's command line; signs, whether there are signs beside lines;
-- tell, whether git-trace hears of typed lines and accepted completions.
function M.setup(options)
  options = options or {}
  M.command = options.command or { 'git-trace', 'lsp' }
  M.signs = options.signs ~= false
  if options.tell ~= false then
    require('git_trace.told').setup(M.command[1])
  end
  local links = { 'Identifier', 'String', 'Constant', 'Type', 'Special', 'PreProc' }
  for hue = 0, 11 do
    vim.api.nvim_set_hl(0, 'GitTrace' .. hue, { link = links[hue % #links + 1], default = true })
  end
  vim.api.nvim_create_user_command('GitTrace', M.toggle, { desc = 'who wrote the lines' })
  vim.api.nvim_create_user_command('GitTraceWhy', M.why, { desc = 'why this line is here' })
  vim.api.nvim_create_user_command('GitTraceShow', M.show, { desc = 'the conversation that wrote this line' })
  vim.api.nvim_create_user_command('GitTraceOpen', M.browse, { desc = 'what wrote this line, in the browser' })
  vim.api.nvim_create_user_command('GitTraceCopy', M.copy, { desc = 'copy the id of what wrote this line' })
  local group = vim.api.nvim_create_augroup('git_trace', {})
  vim.api.nvim_create_autocmd({ 'TextChanged', 'InsertLeave', 'BufWritePost' }, {
    group = group,
    callback = function(event)
      if shown[event.buf] then
        draw(event.buf)
      end
    end,
  })
  vim.api.nvim_create_autocmd('BufWipeout', {
    group = group,
    callback = function(event) shown[event.buf] = nil end,
  })
end

return M
