import * as z from 'zod'
import { choicesOf, matchesGlob } from '../../../base/text/glob.js'
import {
  operationIdIn,
  operationNames,
  type OperationName,
} from '../../contract/operation-names.js'
import { faultDefinition, faultKinds, type FaultKind } from '../faults/kinds/index.js'
import { faultFields } from './fault-fields.js'
import { vainInFault } from './vain-settings.js'

type FaultSchema = ReturnType<(typeof faultKinds)[FaultKind]['schema']>

const schemas = Object.entries(faultKinds).map(([name, kind]): FaultSchema => {
  const schema: FaultSchema = kind.schema(faultFields)
  const { operations } = faultDefinition(name as FaultKind)
  if (!operations) return schema
  return schema.describe(`${schema.description} Only calls of ${operations.join(' and ')} count.`)
})

/** What goes wrong with calls: one of the kinds of faults. */
export const fault = z.discriminatedUnion('fault', schemas as [FaultSchema, ...FaultSchema[]])

/** A fault that a user adds. */
export const addedFault = fault.superRefine((rule, context) => {
  for (const issue of newFaultIssues(rule)) context.addIssue(issue)
})

/** What is wrong with a new fault. A saved one may have it: it may name an operation that was removed since. */
export function newFaultIssues(rule: z.output<typeof fault>): z.core.$ZodSuperRefineIssue[] {
  const vain = vainInFault(rule).map((problem) => ({ code: 'custom' as const, ...problem }))
  return [...unknownOperations(rule), ...vain]
}

/** The operations of a fault that match no call, because none has such a name. */
function unknownOperations({ match }: z.output<typeof fault>): z.core.$ZodSuperRefineIssue[] {
  if (typeof match === 'function' || match.operation === undefined) return []
  const { operation } = match
  const named = Array.isArray(operation)
    ? operation.map((glob, index) => ({ glob, path: ['match', 'operation', index] }))
    : [{ glob: operation, path: ['match', 'operation'] }]
  return named
    .filter(({ glob }) => !isOperationLike(glob))
    .map(({ path }) => ({ code: 'invalid_value', values: [...operationNames], path }))
}

const WITH_QUERIES: OperationName = 'platformGraphql'

/** Whether a glob of operations can match a call. The names of queries are free. */
function isOperationLike(glob: string): boolean {
  const positive = glob.startsWith('!') ? glob.slice(1) : glob
  if (operationNames.some((name) => matchesGlob(name, positive))) return true
  return (choicesOf(positive) ?? []).some(isQueryLike)
}

const BEGINNINGS = Array.from(WITH_QUERIES, (_, at) => WITH_QUERIES.slice(0, at))

/** Whether a glob without braces can match `platformGraphql.`, followed by any name. */
function isQueryLike(glob: string): boolean {
  const [before = '', ...stars] = glob.split('*')
  const id = operationIdIn(before)
  if (id !== before) return matchesGlob(WITH_QUERIES, id)
  return stars.length > 0 && [...BEGINNINGS, WITH_QUERIES].some((each) => matchesGlob(each, before))
}
