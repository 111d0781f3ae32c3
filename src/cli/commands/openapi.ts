import type { Run } from '../context.js'
import { extensionsFrom, type WhichExtensions } from '../options.js'

export const openapi: Run<{
  inference: boolean | undefined
  extensions: WhichExtensions | undefined
}> = async (args, { terminal }) => {
  const { describeApi } = await import('../../api/openapi.js')
  const { operations } = await import('../../control/table.js')
  const host = args.inference ? 'inference' : 'training'
  const extensions = extensionsFrom(args.extensions)
  terminal.write(JSON.stringify(describeApi(operations, host, extensions), null, 2))
  return 0
}
