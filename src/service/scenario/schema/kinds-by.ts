import * as z from 'zod'

/** Makes the kinds of a thing. The key says which kind one is. All kinds have the common fields. */
export function kindsBy<const Key extends string, Common extends z.ZodRawShape>(
  key: Key,
  common: Common,
): KindMaker<Key, Common> {
  return (name, description, own) => {
    const named = { [key]: z.literal(name) } as Record<Key, z.ZodLiteral<typeof name>>
    return z.strictObject({ ...named, ...common, ...own }).describe(description)
  }
}

type KindMaker<Key extends string, Common> = <const Name extends string, Own extends z.ZodRawShape>(
  name: Name,
  description: string,
  own: Own,
) => z.ZodObject<Record<Key, z.ZodLiteral<Name>> & Common & Own, z.core.$strict>
