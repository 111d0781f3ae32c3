import type { Run } from '../context.js'
import { NEWEST_CONTRACT, type ContractVersion } from '../../contract/versions.js'
import { extensionsFrom, type WhichExtensions } from '../options.js'

export const openapi: Run<{
  inference: boolean | undefined
  extensions: WhichExtensions | undefined
  contract: ContractVersion | undefined
}> = async (args, { terminal }) => {
  const { describeApi } = await import('../../api/openapi.js')
  const { operationsIn } = await import('../../api/table.js')
  const host = args.inference ? 'inference' : 'training'
  const extensions = extensionsFrom(args.extensions)
  const operations = operationsIn(args.contract ?? NEWEST_CONTRACT)
  terminal.write(JSON.stringify(describeApi(operations, host, extensions), null, 2))
  return 0
}
