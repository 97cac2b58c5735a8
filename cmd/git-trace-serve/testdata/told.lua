-- Keys that are typed in a real Neovim, with stand-ins for the plugins. They accept as the documents of the plugins say:
-- copilot.lua changes the buffer when the editor waits again, codeium.nvim gives the keys that insert.
local offered

package.preload['copilot.suggestion'] = function()
  local plugin = {}
  function plugin.accept(modifier)
    vim.schedule(function()
      local row, column = unpack(vim.api.nvim_win_get_cursor(0))
      local lines = vim.split(modifier and modifier(offered) or offered, '\n')
      vim.api.nvim_buf_set_text(0, row - 1, column, row - 1, column, lines)
      local last = #lines == 1 and column + #lines[1] or #lines[#lines]
      vim.api.nvim_win_set_cursor(0, { row + #lines - 1, last })
    end)
  end
  function plugin.accept_word()
    plugin.accept(function(text) return text:match('^%W*%w+') end)
  end
  return plugin
end

package.preload['codeium.virtual_text'] = function()
  local plugin = {}
  function plugin.get_current_completion_item() return offered end
  function plugin.get_completion_text() return offered end
  function plugin.accept()
    return offered and '<C-g>u<C-R><C-O>=v:lua.require("codeium.virtual_text").get_completion_text()<CR>' or '\t'
  end
  return plugin
end

vim.o.swapfile = false
vim.opt.runtimepath:append(CLIENT)
require('git_trace').setup({ command = { PROGRAM, 'lsp' } })
vim.keymap.set('i', '<M-l>', function() require('copilot.suggestion').accept() end)
vim.keymap.set('i', '<M-w>', require('copilot.suggestion').accept_word)
vim.keymap.set('i', '<Tab>', require('codeium.virtual_text').accept, { expr = true })

local function offer(text)
  return function() offered = text end
end

local function formatter()
  vim.api.nvim_create_autocmd('BufWritePre', {
    callback = function()
      local lines = {}
      for _, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
        table.insert(lines, (line:gsub(' *$', ''):gsub('typed +on', 'typed  on')))
      end
      table.insert(lines, '// by a formatter')
      vim.api.nvim_buf_set_lines(0, 0, -1, false, lines)
    end,
    once = true,
  })
end

local steps = {
  ':edit a.go<CR>',
  offer('a, b int) int {\n\treturn a + b\n}'), 'Gofunc add(<M-l>', '<Esc>', -- unsaved
  'o// typed on<CR>a line<Esc>',
  offer('x, y int, z float64) int {\n\treturn x * y\n}'), 'ofunc mul(<Tab><Esc>',
  offer(nil), 'ono offer<Tab>here<Esc>',
  'ggyyGpA // pasted<Esc>o<C-R>"<Esc>',
  offer(' accepted by word'), 'oof the person, then<M-w>', '<Esc>',
  'otaken<BS><BS><BS><BS><BS>given <Esc>',
  formatter, ':w<CR>',
  function() vim.fn.writefile({ '// from elsewhere' }, 'a.go', 'a') end, ':edit!<CR>',
  'Go// typed last<Esc>:wq<CR>',
}

local function step()
  local next = table.remove(steps, 1)
  if type(next) == 'function' then
    next()
  elseif next then
    vim.api.nvim_input(next)
  end
  vim.defer_fn(step, 50)
end
step()
