import { commandTool } from '../../src/cli/tools/mcp/command-tool.js'
import { tools } from '../../src/tools/mcp/tools.js'
import { schemaOf, type Tool } from '../../src/tools/mcp/tool.js'
import { fieldRows } from './json-schema.js'
import { code, pageFrom, table } from './markdown.js'

/** The tool that exists on stdio only. */
const onStdio = commandTool({
  environment: {},
  secrets: [],
  stopping: new AbortController().signal,
})

/** Lists the tools of the MCP server with their arguments. */
export function mcpPage(): string {
  return pageFrom('mcp', {
    list: table(
      ['tool', 'what it does'],
      tools.map(({ name, description }) => [
        `[${code(name)}](#${name})`,
        /^.*?[.](?= |$)/.exec(description)![0],
      ]),
    ),
    tools: tools.flatMap(sectionFor),
    onStdio: sectionFor(onStdio),
  })
}

function sectionFor(tool: Tool): string[] {
  const rows = fieldRows(schemaOf(tool))
  const { readOnlyHint, destructiveHint } = tool.annotations
  const change = destructiveHint ? 'It may remove something.' : 'It changes something.'
  return [
    `### ${tool.name}`,
    `${tool.description} ${readOnlyHint ? 'It only reads.' : change}`,
    table(['argument', 'type', 'default', 'meaning'], rows),
  ]
}
