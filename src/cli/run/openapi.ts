import type { Run } from '../command.js'
import type { openapi } from '../commands/openapi.js'
import { NEWEST_CONTRACT } from '../../service/contract/versions.js'

export const runCommand: Run<typeof openapi> = async (args, { terminal }) => {
  const { describeApi } = await import('../../service/api/openapi.js')
  const { operationsIn } = await import('../../service/api/table.js')
  const host = args.inference ? 'inference' : 'training'
  const operations = operationsIn(args.contract ?? NEWEST_CONTRACT)
  terminal.write(JSON.stringify(describeApi(operations, host), null, 2))
  return 0
}
