import { Redactor } from '../../base/text/redaction/redact.js'
import { explainRequest } from '../../emulator/control/schemas/webhooks.js'
import { optional } from '../../service/contract/pydantic/fields.js'
import { literal } from '../../service/contract/pydantic/literal.js'
import { string } from '../../service/contract/pydantic/scalars.js'
import { linesText, recordLines } from './paged.js'
import { READS, tool, ToolError } from './tool.js'

/** The tool that says why the signature of a webhook is wrong. */
export const signatureTool = tool({
  name: 'explain_signature',
  description: 'Says whether the signature of a webhook is valid, and if not, why.',
  input: {
    ...explainRequest.fields,
    secret: optional(string, { description: 'The secret that your receiver verifies with.' }),
    webhook: optional(string, { description: 'Instead of a secret: the name of a webhook.' }),
    header: optional(string, {
      description: 'The header with the signature. Default: X-Service-Signature.',
    }),
    prefix: optional(string, { description: 'The text before the signature, such as sha256=.' }),
    encoding: optional(literal('hex', 'base64'), { description: 'Default: hex.' }),
  },
  annotations: READS,
  async run({ headers, body, secret, webhook, ...form }, { call }) {
    if ((secret === undefined) === (webhook === undefined)) {
      throw new ToolError('Pass either "secret" or "webhook", the name of a webhook.')
    }
    const received = { headers, body }
    if (secret === undefined) {
      const params = { name: webhook! }
      const found = await call('POST /webhooks/{name}/explain', { params, body: received })
      return linesText(recordLines(found))
    }
    const { verify } = await import('../../webhooks/signature/verify.js')
    const { diagnose } = await import('../../webhooks/signature/diagnose.js')
    const rules = { secrets: [secret], ...form }
    const { verdict } = await verify(received, rules)
    const diagnosis = (await diagnose(received, rules))?.text
    return new Redactor({ secrets: [secret] }).redact(
      linesText(recordLines({ verdict, diagnosis })),
    )
  },
})
