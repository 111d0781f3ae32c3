import { printableLines } from '../../base/text/escape.js'
// `Server` is for servers that check arguments by themselves: our errors suggest names.
// oxlint-disable typescript/no-deprecated
import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Tool as ShownTool,
} from '@modelcontextprotocol/server'
import { ControlError, UnreachableError } from '../../emulator/control/client/control-errors.js'
import { OptionsError } from '../../base/text/options.js'
import { EmulatorError } from '../../base/text/emulator-error.js'
import { didYouMean } from '../../base/text/nearest.js'
import { version } from '../../base/text/version.js'
import { controlWording } from '../../service/api/control-wording.js'
import { validate } from '../../service/contract/pydantic/validate.js'
import { cut, LONGEST } from './paged.js'
import { schemaOf, ToolError, toolWords, type Tool, type ToolContext } from './tool.js'

/** What a client tells its model about the server. */
const INSTRUCTIONS = `This is a local emulator of a serverless training service: jobs, chats and webhooks follow a scenario, and nothing costs money.
Call get_status first: it has the addresses and the environment of a client. A scenario decides what fails: list_scenarios, then start_scenario.
To find out why something failed, call read_trace, which begins with what failed, then read_job or list_requests. check_client finds mistakes of the client. Do not wait for jobs: call settle.
Ids may be cut short, and without an id the newest record is meant. Long results have pages. read_docs answers questions about the emulator.`

/** What all calls of a server share. */
type SharedContext = Omit<ToolContext, 'signal' | 'tools'>

/** Refuses a request that is not valid in words. The library has them as JSON, at the end of its message. */
class WordedServer extends Server {
  protected override _wrapHandler(...[method, handler]: Parameters<Server['_wrapHandler']>) {
    const answer = super._wrapHandler(method, handler)
    return async (...call: Parameters<typeof answer>) => {
      try {
        return await answer(...call)
      } catch (error) {
        const [, json] = ISSUES.exec((error as Error).message) ?? []
        if (json === undefined) throw error
        const issues = JSON.parse(json) as { path: string[]; message: string }[]
        const words = issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${method}: ${words.join('; ')}`)
      }
    }
  }
}

const ISSUES = /(\[\s+\{[^]*\])$/

/** Creates a server for one client, or for one request of a client. */
export function createServer(tools: readonly Tool[], context: SharedContext): Server {
  const server = new WordedServer(
    { name: 'svtrain-emulator', title: 'svtrain-emulator', version },
    { capabilities: { tools: {}, resources: {} }, instructions: INSTRUCTIONS },
  )
  const { docs } = context
  const names = tools.map(({ name }) => name)

  server.setRequestHandler('tools/list', () => ({
    tools: tools.map(shownTool),
  }))

  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const called = tools.find(({ name }) => name === params.name)
    if (!called) {
      const hint = didYouMean(params.name, names)
      const text = `Unknown tool "${cut(params.name, 80)}".${hint} Tools: ${names.join(', ')}.`
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, text)
    }
    return answerOf(called, params.arguments, { ...context, tools, signal: mcpReq.signal })
  })

  server.setRequestHandler('resources/list', () => ({
    resources: [...docs.listedPages().values()].flat().map(({ topic, note }) => ({
      uri: URI + topic,
      name: topic,
      description: note,
      mimeType: 'text/markdown',
    })),
  }))

  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }))

  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    const written = uri.slice(URI.length)
    const topic = uri.startsWith(URI) ? docs.findTopic(written, docs.topicNames()) : undefined
    if (topic === undefined) {
      const text = `There is no page ${cut(uri, 80)}. resources/list lists all pages.`
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, text)
    }
    return { contents: [{ uri, mimeType: 'text/markdown', text: docs.readTopic(topic) }] }
  })
  return server
}

/** What a client sees of a tool. */
export function shownTool(shown: Tool): ShownTool {
  const { name, description, annotations } = shown
  return { name, description, inputSchema: schemaOf(shown) as { type: 'object' }, annotations }
}

/** The addresses of the pages of the documentation. */
const URI = 'svtrain-docs:///'

/** Calls a tool. A refusal is a result as well, so that the model can read it and try again. */
async function answerOf(called: Tool, args: unknown, context: ToolContext) {
  try {
    const run = called.run as (given: unknown, on: ToolContext) => string | Promise<string>
    return { content: [shownText(await run(argumentsOf(called, args), context))] }
  } catch (error) {
    return { content: [shownText(refusalOf(error))], isError: true }
  }
}

/** @throws {ToolError} When they cannot be used, with everything that is wrong. */
function argumentsOf({ input }: Tool, given: unknown): unknown {
  const checked = validate(input, given ?? {}, [])
  if (checked.ok) return checked.value
  throw new ToolError(checked.problems.map(controlWording).join('\n'))
}

function shownText(text: string) {
  return { type: 'text' as const, text: printableLines(cut(text, LONGEST)) }
}

function refusalOf(error: unknown): string {
  if (error instanceof ControlError) return toolWords(error.detail)
  const isExpected = [ToolError, UnreachableError, OptionsError, EmulatorError].some(
    (kind) => error instanceof kind,
  )
  if (isExpected) return (error as Error).message
  return `The emulator failed to answer this; please report it. ${String(error)}`
}
