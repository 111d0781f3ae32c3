import { toggle } from '../values.js'
import { readArguments } from './arguments.js'
import type { Run } from './command.js'

const inference = { describe: 'That of the inference API', value: toggle } as const

export const openapi: Run = async (called, { write }) => {
  const read = await readArguments(called, { flags: { inference } })
  if (read.kind === 'text') {
    write(read.text)
    return 0
  }
  const { describeApi } = await import('../../api/openapi.js')
  const { operations } = await import('../../control/table.js')
  const host = read.flags.inference ? 'inference' : 'training'
  write(JSON.stringify(describeApi(operations, host), null, 2))
  return 0
}
