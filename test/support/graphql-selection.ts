import {
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isUnionType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
} from 'graphql'

/** Values of the arguments that a field needs. */
function valueOf(name: string, type: GraphQLInputType, ids: { artifact: string }): string {
  if (isNonNullType(type)) return valueOf(name, type.ofType, ids)
  if (isListType(type)) return `[${valueOf(name, type.ofType, ids)}]`
  if (isEnumType(type)) return type.getValues()[0]!.name
  if (isInputObjectType(type)) return '{}'
  if (name === 'id') return JSON.stringify(ids.artifact)
  if (name === 'specs') return String.raw`"{\"keys\": [\"loss\"]}"`
  const known: Record<string, string> = {
    name: 'rows',
    aliasName: 'latest',
    entityName: 'local-team',
  }
  return type.name === 'Int' || type.name === 'Int64' ? '1' : JSON.stringify(known[name] ?? 'x')
}

/** Everything of a type, as deep as that. */
export function selectionOf(
  type: GraphQLOutputType,
  depth: number,
  ids: { artifact: string },
): string {
  if (isNonNullType(type) || isListType(type)) return selectionOf(type.ofType, depth, ids)
  if (isLeafType(type)) return ''
  if (isUnionType(type)) {
    const members = type.getTypes()
    const parts = members.map((each) => {
      const fields = Object.values(each.getFields()).flatMap((field) => {
        const others = members.map((member) => member.getFields()[field.name] ?? field)
        // GraphQL refuses one name for fields of different types.
        const isOfOneType = others.every((other) => String(other.type) === String(field.type))
        const alias = isOfOneType ? '' : `${each.name}_${field.name}: `
        return fieldOf(field, depth, ids).map((text) => alias + text)
      })
      return `... on ${each.name} { ${fields.join(' ')} }`
    })
    return `{ __typename ${parts.join(' ')} }`
  }
  const fields = Object.values(type.getFields()).flatMap((field) => fieldOf(field, depth, ids))
  return `{ __typename ${fields.join(' ')} }`
}

/** A field with the arguments that it needs, and everything in it. */
export function fieldOf(
  { name, args, type }: GraphQLField<unknown, unknown>,
  depth: number,
  ids: { artifact: string },
): string[] {
  const named = getNamedType(type)
  if (isCompositeType(named) && depth === 0) return []
  const needed = args.filter((arg) => isNonNullType(arg.type) || arg.name === 'entityName')
  const given = needed.map((arg) => `${arg.name}: ${valueOf(arg.name, arg.type, ids)}`)
  const call = given.length > 0 ? `(${given.join(', ')})` : ''
  return [`${name}${call} ${selectionOf(type, depth - 1, ids)}`]
}
