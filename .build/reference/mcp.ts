import { commandTool } from '../../src/cli/tools/mcp/command-tool.js'
import { tools } from '../../src/tools/mcp/tools.js'
import { schemaOf, type Tool } from '../../src/tools/mcp/tool.js'
import { wordsFor, type JsonSchema } from './json-schema.js'
import { code, inlineYaml, page, table } from './markdown.js'

/** The tool that exists on stdio only. */
const onStdio = commandTool({
  environment: {},
  secrets: [],
  stopping: new AbortController().signal,
})

/** Lists the tools of the MCP server with their arguments. */
export function mcpPage(): string {
  return page(
    'Tools of MCP',
    'The tools that coding assistants call. [Coding assistants](../how-to/assistants.md) shows how to connect one.',
    'A tool refuses unknown arguments, and names the nearest one. The beginning of an id is enough, and without an id a tool takes the newest record. Results have at most 4,000 characters. A longer one has pages: pass `page`, or `filter` to see less.',
    '## Every transport',
    'These tools act on the emulator, and on nothing else.',
    listOf(tools),
    ...tools.flatMap(sectionFor),
    '## Stdio only',
    'This tool uses your machine.',
    ...sectionFor(onStdio),
  )
}

function listOf(rows: readonly Tool[]): string {
  return table(
    ['tool', 'what it does'],
    rows.map(({ name, description }) => [
      `[${code(name)}](#${name})`,
      /^.*?[.](?= |$)/.exec(description)![0],
    ]),
  )
}

function sectionFor(tool: Tool): string[] {
  const { properties, required = [] } = schemaOf(tool) as {
    properties: Record<string, JsonSchema>
    required?: readonly string[]
  }
  const rows = Object.entries(properties).map(([name, schema]) => [
    code(name),
    wordsFor(schema, () => undefined),
    required.includes(name) ? 'required' : defaultOf(schema),
    schema.description ?? '',
  ])
  const { readOnlyHint, destructiveHint } = tool.annotations
  const change = destructiveHint ? 'It may remove something.' : 'It changes something.'
  return [
    `### ${tool.name}`,
    `${tool.description} ${readOnlyHint ? 'It only reads.' : change}`,
    ...(rows.length === 0 ? [] : [table(['argument', 'type', 'default', 'meaning'], rows)]),
  ]
}

function defaultOf(schema: JsonSchema): string {
  return 'default' in schema && schema.default !== null ? code(inlineYaml(schema.default)) : ''
}
