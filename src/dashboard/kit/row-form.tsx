import type { ComponentChildren } from 'preact'
import type { AnswerOf, Route } from '../../emulator/control/client/call.js'
import { call } from '../data/control.js'
import { useRowSchema } from '../data/use-schema.js'
import { Loaded } from '../parts/page.js'
import { offering, type FormField, type Values } from './fields.js'
import { Form } from './form.js'

interface RowFormProps<R extends Route> {
  /** The row of the control API that the form calls. Its schema gives the fields. */
  row: R
  params?: Readonly<Record<string, string>>
  label: string
  submit: string
  /** The fields at the top. Default: all of the schema. */
  fields?: readonly FormField[]
  /** The title of a part that has all other fields. Default: they are left out. */
  others?: string
  start?: Values
  presets?: Readonly<Record<string, Values>>
  /** The values that fields offer. Undefined: they are not loaded yet. */
  offer?: Readonly<Record<string, readonly string[]>> | undefined
  /** What it returns is shown, and then the values stay. */
  done: (answer: AnswerOf<R>) => ComponentChildren | void
  cancel?: () => void
  look?: 'part' | 'line'
  isDanger?: boolean
}

type LooseCall = (row: string, sent: object) => Promise<never>

/** A form for a row of the control API. */
export function RowForm<R extends Route>(props: RowFormProps<R>): ComponentChildren {
  const { row, params, fields, others, offer = {}, done, ...form } = props
  return (
    <Loaded of={useRowSchema(row)} what="form">
      {(schema) => (
        <Form<Values>
          {...form}
          shapeOf={() => ({
            schema: offering(schema, offer),
            ...(fields && { fields }),
            ...(others !== undefined && { others }),
          })}
          send={async (body) => done(await (call as unknown as LooseCall)(row, { params, body }))}
        />
      )}
    </Loaded>
  )
}
