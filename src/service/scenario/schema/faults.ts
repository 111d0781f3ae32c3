import * as z from 'zod'
import { faultKinds, type FaultKind } from '../faults/kinds/index.js'
import { faultFields } from './fault-fields.js'

type FaultSchema = ReturnType<(typeof faultKinds)[FaultKind]['schema']>

const schemas = Object.values(faultKinds).map((kind): FaultSchema => kind.schema(faultFields))

/** What goes wrong with calls: one of the kinds of faults. */
export const fault = z.discriminatedUnion('fault', schemas as [FaultSchema, ...FaultSchema[]])
