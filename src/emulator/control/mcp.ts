import { RawReply } from '../../service/api/result.js'
import { anything } from '../../service/contract/pydantic/scalars.js'
import { ApiError } from '../../service/contract/errors.js'
import { control } from './row.js'

const callMcp = control({
  id: 'callMcp',
  method: 'POST',
  path: '/_emulator/mcp',
  summary: 'The MCP server of the emulator, for coding assistants',
  response: anything,
  contentTypes: ['application/json', 'text/event-stream'],
  // OpenAPI does not describe the messages of MCP.
  unlisted: true,
  // The MCP server refuses what it does not know.
  readsBody: 'bytes',
  async run({ emulator: world, request }) {
    const loading = world.mcp()
    if (!loading) return new ApiError(501, NO_SERVER)
    const { answer } = await loading
    return new RawReply(await answer(world, request))
  },
})

const NO_SERVER =
  'An emulator in a browser has no MCP server. Start one in a terminal: npx svtrain-emulator mcp'

export const mcpOperations = [callMcp]
