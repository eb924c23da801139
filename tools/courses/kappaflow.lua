-- Figures of Kappaflow in pandoc and Quarto: pandoc --lua-filter kappaflow.lua. In the text
--
--     ::: {.kappaflow scene=capacity-diffusion layers=48 top-index=12 title="Capacity flows back and spreads"}
--     A caption.
--     :::
--
-- Attributes are the scene's params, and title, height, size, ui, theme, contrast, lang, hide, lock, focus and speed. In the document's metadata
-- kappaflow-site is the address of the page, kappaflow-program the command line (default: kappaflow), which draws what is printed.
-- HTML and slides get a frame, EPUB an SVG, everything else a PNG, or a link where the program cannot be run.

local site, program = 'https://your.host/kappaflow/', 'kappaflow'
local host = { ui = true, theme = true, contrast = true, lang = true, hide = true, lock = true, focus = true, speed = true }
local own = { scene = true, title = true, height = true, size = true }

local function encode(text)
  return (text:gsub('[^%w%-%._~]', function(c) return string.format('%%%02X', c:byte()) end))
end

local function escape(text)
  return (text:gsub('[&<>"]', { ['&'] = '&amp;', ['<'] = '&lt;', ['>'] = '&gt;', ['"'] = '&quot;' }))
end

local function camel(name)
  return (name:gsub('%-(%w)', string.upper))
end

--- The figure's bytes, nil where the program cannot draw it.
local function drawn(state, attributes, extension)
  local bytes
  local done, why = pcall(pandoc.system.with_temporary_directory, 'kappaflow', function(folder)
    local file = folder .. '/figure.' .. extension
    local wanted = { 'render', '--state', state, '--size', attributes.size or '1200x750', '--theme', attributes.theme == 'dark' and 'dark' or 'light',
                     '--contrast', attributes.contrast == 'more' and 'more' or 'usual', '--out', file }
    if extension == 'png' then wanted[#wanted + 1] = '--scale'; wanted[#wanted + 1] = '2' end
    pandoc.pipe(program, wanted, '')
    local opened = assert(io.open(file, 'rb'))
    bytes = opened:read('a')
    opened:close()
  end)
  if not done then
    io.stderr:write('kappaflow.lua: ' .. program .. ' cannot draw ' .. state .. ': ' .. tostring(why.output or why) .. '\n')
  end
  return bytes
end

local function figure(div)
  local attributes = div.attributes
  local scene = attributes.scene
  if not scene then error('A kappaflow div needs a scene: ::: {.kappaflow scene=shattering}', 0) end
  local title = attributes.title or scene:gsub('-', ' ')
  local state, settings = 'v=1&scene=' .. encode(scene), '&ui=' .. encode(attributes.ui or 'figure')
  for name, value in pairs(attributes) do
    if host[name] and name ~= 'ui' then settings = settings .. '&' .. name .. '=' .. encode(value) end
  end
  local names = {}
  for name in pairs(attributes) do if not host[name] and not own[name] then names[#names + 1] = name end end
  table.sort(names)
  for _, name in ipairs(names) do state = state .. '&' .. camel(name) .. '=' .. encode(attributes[name]) end
  local address = site .. '?' .. state .. settings
  local epub = FORMAT:match('epub')
  local slides = FORMAT:match('revealjs')
  local html = not epub and (slides or FORMAT:match('html') or FORMAT == 'slidy' or FORMAT == 's5' or FORMAT == 'dzslides')
  if html then
    local style = attributes.height and 'width:100%;height:' .. attributes.height .. ';border:0' or 'width:100%;aspect-ratio:16/10;min-height:400px;border:0'
    local frame = string.format('<iframe %ssrc="%s" title="%s" sandbox="allow-scripts" allow="clipboard-write; fullscreen" loading="lazy" style="%s"></iframe>',
      slides and 'data-' or '', escape(address), escape(title), escape(style))
    local blocks = pandoc.List({ pandoc.RawBlock('html', '<figure class="kappaflow">' .. frame) })
    if #div.content > 0 then
      blocks:insert(pandoc.RawBlock('html', '<figcaption>'))
      blocks:extend(div.content)
      blocks:insert(pandoc.RawBlock('html', '</figcaption>'))
    end
    blocks:insert(pandoc.RawBlock('html', '</figure>'))
    return blocks
  end
  local extension = epub and 'svg' or 'png'
  local bytes = drawn(state, attributes, extension)
  local caption = pandoc.utils.blocks_to_inlines(div.content)
  if not bytes then
    return pandoc.Para(pandoc.List({ pandoc.Link(title, site .. '?' .. state) }) .. (#caption > 0 and pandoc.List({ pandoc.Str(':'), pandoc.Space() }) .. caption or {}))
  end
  local name = 'kappaflow-' .. pandoc.utils.sha1(state .. settings) .. '.' .. extension
  pandoc.mediabag.insert(name, extension == 'svg' and 'image/svg+xml' or 'image/png', bytes)
  return pandoc.Para({ pandoc.Image(#caption > 0 and caption or title, name, #caption > 0 and 'fig:' or '', { width = '100%' }) })
end

return {
  { Meta = function(meta)
      if meta['kappaflow-site'] then site = pandoc.utils.stringify(meta['kappaflow-site']):gsub('/*$', '/') end
      if meta['kappaflow-program'] then program = pandoc.utils.stringify(meta['kappaflow-program']) end
    end },
  { Div = function(div) if div.classes:includes('kappaflow') then return figure(div) end end },
}
