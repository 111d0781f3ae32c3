import { diagnose } from '../../signature/diagnose.js'
import { SIGNATURE_HEADER } from '../../signature/signature.js'
import { verify as verifyDelivery } from '../../signature/verify.js'
import { anyText } from '../values.js'
import { UsageError } from '../usage-error.js'
import { readArguments } from './arguments.js'
import type { Run } from './command.js'
import { json } from './json-flag.js'
import { readBytes } from './read-bytes.js'
import { form, secrets, token } from './signature-flags.js'

const signature = {
  describe: 'What the signature header holds',
  value: anyText('what the signature header holds'),
} as const

export const verify: Run = async (called, { write, paint }) => {
  const read = await readArguments(called, {
    flags: { secret: secrets, signature, token, ...form, json },
    takes: 'a file',
    optional: true,
  })
  if (read.kind === 'text') {
    write(read.text)
    return 0
  }
  const { flags, positionals } = read
  if (flags.secret.length === 0) throw new UsageError('verify takes a --secret; none was given.')
  if (flags.signature === undefined) {
    throw new UsageError('verify takes a --signature; none was given.')
  }
  const body = await readBytes(positionals[0])
  const delivered = { body, headers: { [SIGNATURE_HEADER]: flags.signature } }
  const { encoding, prefix } = flags
  const rules = { secrets: flags.secret, token: flags.token, encoding, prefix }
  const { verdict, secret } = await verifyDelivery(delivered, rules)
  const diagnosis = await diagnose(delivered, rules)
  if (flags.json) write(JSON.stringify({ verdict, secret, diagnosis }))
  else if (diagnosis) write(`${paint('red', verdict)}: ${diagnosis.text}`)
  else write(`${paint('green', verdict)}: signed with ${secret}`)
  return verdict === 'valid' ? 0 : 1
}
