import { sign as signBytes } from '../../webhooks/signature/signature.js'
import { assertGiven } from '../usage-error.js'
import type { Run } from '../command.js'
import type { sign } from '../commands/sign.js'
import { readBytes } from './input.js'

export const runCommand: Run<typeof sign> = async (args, { terminal }) => {
  const { file, secret: key, encoding, prefix } = args
  assertGiven(key, 'sign takes a --secret')
  terminal.write(await signBytes(await readBytes(file), key, { encoding, prefix }))
  return 0
}
