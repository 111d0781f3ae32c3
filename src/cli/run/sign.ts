import { sign as signBytes } from '../../webhooks/signature/signature.js'
import { UsageError } from '../usage-error.js'
import type { Run } from '../context.js'
import { readBytes } from './input.js'

interface Arguments {
  file: string | undefined
  secret: string | undefined
  encoding: 'hex' | 'base64' | undefined
  prefix: string | undefined
}

export const sign: Run<Arguments> = async (args, { terminal }) => {
  const { file, secret: key, encoding, prefix } = args
  if (key === undefined) throw new UsageError('sign takes a --secret; none was given.')
  terminal.write(await signBytes(await readBytes(file), key, { encoding, prefix }))
  return 0
}
