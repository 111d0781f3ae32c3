import type { ComponentChildren } from 'preact'
import type { AnswerOf, Route } from '../../emulator/control/client/call.js'
import { callRow } from '../data/control.js'
import { useLoaded } from '../data/use-loaded.js'
import { rowSchema } from '../data/row-schema.js'
import { Loaded } from '../parts/page.js'
import { fieldsOf, offering, valuesOf, type FormField, type Values } from './field-values.js'
import { Form, type FormProps, type FormShape } from './form.js'
import { useReload } from './records.js'
import { chosenForm, sharedFields, type JsonSchema } from './json-schema.js'

type Choices = Readonly<Record<string, readonly string[]>>

interface RowFormProps<R extends Route>
  extends Omit<FormProps<Values>, 'shapeOf' | 'send'>, Pick<FormShape, 'others' | 'known'> {
  /** The row of the control API that the form calls. Its schema gives the fields. */
  row: R
  params?: Readonly<Record<string, string>>
  /** The fields at the top. Default: all of the schema. */
  fields?: readonly FormField[]
  /** The field whose value decides which others there are. Without `fields`, those of all forms are not at the top. */
  by?: string
  /** Loads the values that fields offer. */
  offers?: () => Promise<Choices>
  /** Whether the row keeps what it does not get. Then it gets null for a field that is emptied. */
  keeps?: boolean
  /** What it returns is shown, and then the values stay. Default: the list around the form loads, and the form closes. */
  done?: (answer: AnswerOf<R>) => ComponentChildren | void
}

/** A form for a row of the control API. */
export function RowForm<R extends Route>(props: RowFormProps<R>): ComponentChildren {
  const { row, params, fields, others, known, by, offers, start = {}, keeps, done, ...form } = props
  const reload = useReload()
  const listed = (): void => {
    reload()
    form.cancel?.()
  }
  const loaded = useLoaded(async () => {
    const [schema, choices] = await Promise.all([rowSchema(row), offers?.() ?? {}])
    return { schema, choices }
  }, row)
  return (
    <Loaded of={loaded} what="form">
      {({ schema, choices }) => (
        <Form<Values>
          {...form}
          start={by === undefined ? valuesOf(start, schema) : start}
          shapeOf={(values) => ({
            ...shapeOf(schema, { values, fields, by, choices }),
            ...(others !== undefined && { others }),
            ...(known && { known }),
          })}
          send={async (values) => {
            const body = keeps ? { ...emptied(start), ...values } : values
            return (done ?? listed)(await callRow(row, { params, body }))
          }}
        />
      )}
    </Loaded>
  )
}

function emptied(start: Values): Values {
  return Object.fromEntries(Object.keys(start).map((key) => [key, null]))
}

interface ShapeOptions {
  values: Values
  fields: readonly FormField[] | undefined
  by: string | undefined
  choices: Choices
}

function shapeOf(whole: JsonSchema, { values, fields, by, choices }: ShapeOptions): FormShape {
  if (by === undefined) return { schema: offering(whole, choices), ...(fields && { fields }) }
  const schema = offering(chosenForm(by, whole, values[by]), choices)
  const shared = sharedFields(whole)
  const own = fieldsOf(schema).filter(({ place }) => place !== by && !shared.includes(place))
  const all = fields ?? [{ place: by, label: by, wide: true }, ...own]
  const isThere = ({ place }: FormField): boolean => schema.properties?.[place] !== undefined
  return { schema, fields: all.filter(isThere) }
}
