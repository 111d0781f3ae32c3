import { printableJson } from '../terminal.js'
import { diagnose } from '../../webhooks/signature/diagnose.js'
import { SIGNATURE_HEADER } from '../../webhooks/signature/signature.js'
import { verify } from '../../webhooks/signature/verify.js'
import { assertGiven } from '../usage-error.js'
import type { Run } from '../command.js'
import type { sinkVerify } from '../commands/sink-verify.js'
import { wrapped } from '../text-width.js'
import { readBytes } from './input.js'

export const runCommand: Run<typeof sinkVerify> = async (
  args,
  { terminal: { write, paint, columns } },
) => {
  const { file, secret: secrets, signature, token, encoding, prefix } = args
  assertGiven(secrets, 'sink verify takes a --secret')
  assertGiven(signature, 'sink verify takes a --signature')
  const body = await readBytes(file)
  const delivered = { body, headers: { [SIGNATURE_HEADER]: signature } }
  const rules = { secrets, token, encoding, prefix }
  const { verdict, secret } = await verify(delivered, rules)
  const diagnosis = await diagnose(delivered, rules)
  if (args.json) write(printableJson({ verdict, secret, diagnosis }))
  else if (diagnosis) {
    wrapped(`${paint('red', verdict)}: ${diagnosis.text}`, columns?.(), 2).forEach(write)
  } else write(`${paint('green', verdict)}: signed with ${secret}`)
  return verdict === 'valid' ? 0 : 1
}
