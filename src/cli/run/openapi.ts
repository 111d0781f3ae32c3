import type { Run } from '../context.js'
import { NEWEST_CONTRACT, type ContractVersion } from '../../service/contract/versions.js'

export const openapi: Run<{
  inference: boolean | undefined
  contract: ContractVersion | undefined
}> = async (args, { terminal }) => {
  const { describeApi } = await import('../../service/api/openapi.js')
  const { operationsIn } = await import('../../service/api/table.js')
  const host = args.inference ? 'inference' : 'training'
  const operations = operationsIn(args.contract ?? NEWEST_CONTRACT)
  terminal.write(JSON.stringify(describeApi(operations, host), null, 2))
  return 0
}
