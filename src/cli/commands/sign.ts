import { sign as signBytes } from '../../signature/signature.js'
import { UsageError } from '../usage-error.js'
import { readArguments } from './arguments.js'
import type { Run } from './command.js'
import { readBytes } from './read-bytes.js'
import { form, secret } from './signature-flags.js'

export const sign: Run = async (called, { write }) => {
  const read = await readArguments(called, {
    flags: { secret, ...form },
    takes: 'a file',
    optional: true,
  })
  if (read.kind === 'text') {
    write(read.text)
    return 0
  }
  const { secret: key, encoding, prefix } = read.flags
  if (key === undefined) throw new UsageError('sign takes a --secret; none was given.')
  write(await signBytes(await readBytes(read.positionals[0]), key, { encoding, prefix }))
  return 0
}
