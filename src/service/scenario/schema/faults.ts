import * as z from 'zod'
import { faultKinds, type FaultKind } from '../faults/kinds/index.js'
import * as fields from './fault-fields.js'

type FaultSchema = ReturnType<(typeof faultKinds)[FaultKind]['schema']>

const schemas = Object.values(faultKinds).map((kind): FaultSchema => kind.schema(fields))

/** What goes wrong with calls: one of the kinds of faults. */
export const fault = z.discriminatedUnion('fault', schemas as [FaultSchema, ...FaultSchema[]])
