import { isJson } from '../../../base/text/json-text.js'
import type * as z from 'zod'
import { secretProblem } from '../../../base/text/webhook-secret.js'
import { didYouMean } from '../../../base/text/nearest.js'
import { fillPayload, METADATA, payloadVariables, templateParts } from '../payload-template.js'
import type { automation, webhook } from './webhooks.js'

type Webhook = z.output<typeof webhook>
type Automation = z.output<typeof automation>

export interface ComparedParts {
  /** Undefined if secrets may be missing. Then their names are not checked. */
  secrets: Readonly<Record<string, string>> | undefined
  webhooks: readonly Webhook[]
  automations: readonly Automation[]
}

export type Path = (string | number)[]

export interface PartProblem {
  path: Path
  message: string
}

/** Finds secrets that no receiver can verify with. */
export function secretValueProblems(secrets: Readonly<Record<string, string>>): PartProblem[] {
  return Object.entries(secrets).flatMap(([name, secret]) => {
    const message = secretProblem(secret)
    return message === undefined ? [] : { path: ['secrets', name], message }
  })
}

/** Finds problems between secrets, webhooks and automations that are valid by themselves. */
export function webhookProblems(parts: ComparedParts): PartProblem[] {
  const { webhooks, automations } = parts
  return [
    ...webhooks.flatMap((each, index) => secretProblems(each, { parts, at: ['webhooks', index] })),
    ...automations.flatMap((each, index) => {
      const where = { parts, at: ['automations', index] }
      return [...receiverProblems(each, where), ...payloadProblems(each, where)]
    }),
    ...repeatedNames(webhooks, 'webhooks'),
    ...repeatedNames(automations, 'automations'),
  ]
}

interface Where {
  parts: ComparedParts
  at: Path
}

function secretProblems(webhook: Webhook, { parts, at }: Where): PartProblem[] {
  if (!parts.secrets) return []
  const known = Object.keys(parts.secrets)
  const named = [
    { name: webhook.access_token, path: [...at, 'access_token'] },
    { name: webhook.secret, path: [...at, 'secret'] },
    ...webhook.adversary.map((rule, index) => {
      const name = rule.do === 'old_secret' ? rule.secret : undefined
      return { name, path: [...at, 'adversary', index, 'secret'] }
    }),
  ]
  return named.flatMap(({ name, path }) => {
    if (name === undefined || known.includes(name)) return []
    const message = formatUnknown(`secret named "${name}"`, name, known)
    return { path, message: `${message} A webhook names a secret, and \`secrets\` has its value.` }
  })
}

function receiverProblems({ webhook }: Automation, { parts, at }: Where): PartProblem[] {
  const known = parts.webhooks.map(({ name }) => name)
  if (known.includes(webhook)) return []
  return [
    {
      path: [...at, 'webhook'],
      message: formatUnknown(`webhook named "${webhook}"`, webhook, known),
    },
  ]
}

function payloadProblems({ payload, webhook: name }: Automation, { parts, at }: Where) {
  const webhook = parts.webhooks.find((each) => each.name === name)
  const own = [webhook?.access_token, webhook?.secret].filter((each) => each !== undefined)
  const known = [...payloadVariables, ...own]
  const template = templateParts(payload)
  const path = [...at, 'payload']
  const problems: PartProblem[] = template.flatMap((part) => {
    if (typeof part === 'string' || known.includes(part.name)) return []
    if (part.name.startsWith(METADATA) && part.name.length > METADATA.length) return []
    const candidates = [...known, `${METADATA}<KEY>`]
    const message = formatUnknown(`variable \${${part.name}}`, part.name, candidates)
    return { path, message }
  })
  if (!isJson(fillPayload(template, () => undefined))) {
    problems.push({ path, message: 'is not JSON once its variables are filled in' })
  }
  return problems
}

function repeatedNames(named: readonly { name: string }[], key: string): PartProblem[] {
  return named.flatMap(({ name }, index) => {
    if (named.findIndex((each) => each.name === name) === index) return []
    return { path: [key, index, 'name'], message: `another one has the name "${name}"` }
  })
}

/** The most known names that an error lists. */
const MOST_LISTED = 30

/** Lists known names for an error. */
export function listed(names: readonly string[]): string {
  const left = names.length - MOST_LISTED
  return names.slice(0, MOST_LISTED).join(', ') + (left > 0 ? `, and ${left} more` : '')
}

function formatUnknown(what: string, name: string, known: readonly string[]): string {
  const others = known.length > 0 ? `There are: ${listed(known)}.` : 'There are none.'
  return `there is no ${what}.${didYouMean(name, known)} ${others}`
}
