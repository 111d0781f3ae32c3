import { sign } from '../../webhooks/signature/signature.js'
import { assertGiven } from '../usage-error.js'
import type { Run } from '../command.js'
import type { sinkSign } from '../commands/sink-sign.js'
import { readBytes } from './input.js'

export const runCommand: Run<typeof sinkSign> = async (args, { terminal }) => {
  const { file, secret: key, encoding, prefix } = args
  assertGiven(key, 'sink sign takes a --secret')
  terminal.write(await sign(await readBytes(file), key, { encoding, prefix }))
  return 0
}
