import type { Run } from '../context.js'

export const openapi: Run<{ inference: boolean | undefined }> = async (args, { terminal }) => {
  const { describeApi } = await import('../../api/openapi.js')
  const { operations } = await import('../../control/table.js')
  const host = args.inference ? 'inference' : 'training'
  terminal.write(JSON.stringify(describeApi(operations, host), null, 2))
  return 0
}
