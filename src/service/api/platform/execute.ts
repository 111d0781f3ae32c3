import {
  buildSchema,
  execute,
  getOperationAST,
  GraphQLError,
  GraphQLScalarType,
  OperationTypeNode,
  parse,
  validate,
  valueFromASTUntyped,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
} from 'graphql'
import { shortJson } from '../../../base/text/shortened.js'
import { PLATFORM_SCHEMA } from '../../../base/text/vendor/platform-schema.js'
import { quoteNotFinite } from '../../platform/not-finite.js'
import { PlatformError, type PlatformProblem } from '../../platform/platform-error.js'
import { artifactMutations } from './artifact-mutations.js'
import { collectionMutations } from './collection-mutations.js'
import { exceededBound, QUERY_BOUNDS } from './bounds.js'
import { automationMutations } from './automation-mutations.js'
import { StatusError, type CallFacts, type Input, type Mutations, type View } from './call.js'
import { queryRoot } from './queries.js'
import { runMutations } from './run-mutations.js'
import { withViews } from './views.js'

/** What a client sends. */
export interface GraphqlRequest {
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
  readonly operationName: string | undefined
}

/** The answer, and the errors in it. */
export interface GraphqlAnswer {
  readonly body: object
  readonly errors: readonly string[]
  /** Why the call is refused, if clients tell it by the status. */
  readonly problem?: PlatformProblem | undefined
}

/** Executes a query. It never throws what a client causes. */
export function executeGraphql(
  request: GraphqlRequest,
  facts: CallFacts,
  failed: (error: unknown) => void,
): GraphqlAnswer {
  const read = documentOf(request)
  if (!('kind' in read)) return refused(read)
  const call = withViews(facts)
  const operation = getOperationAST(read, request.operationName)
  const result = execute({
    schema: platformSchema(),
    document: read,
    rootValue:
      operation?.operation === OperationTypeNode.MUTATION
        ? withCallersIds({
            ...runMutations(call),
            ...artifactMutations(call),
            ...collectionMutations(call),
            ...automationMutations(call),
          })
        : queryRoot(call),
    variableValues: request.variables,
    operationName: request.operationName,
  }) as ExecutionResult
  const errors = (result.errors ?? []).map((error) => shown(error, failed))
  if (errors.length === 0) return { body: result, errors: [] }
  const body = { data: result.data ?? null, errors: errors.map((error) => error.toJSON()) }
  const refusal = result.errors?.find(({ originalError }) => originalError instanceof StatusError)
  const { problem } = (refusal?.originalError ?? {}) as Partial<StatusError>
  return { body, errors: errors.map(({ message }) => message), problem }
}

/** Mutations that give back the id that their caller has for them. Some clients write the last letter large. */
function withCallersIds(mutations: Mutations): Mutations {
  const withId =
    (mutate: Mutations[string]) =>
    ({ input }: Input<{ clientMutationId?: string; clientMutationID?: string }>): View => {
      const { clientMutationId, clientMutationID } = input
      return { ...mutate({ input }), clientMutationId: clientMutationId ?? clientMutationID }
    }
  return Object.fromEntries(Object.entries(mutations).map(([name, each]) => [name, withId(each)]))
}

/** Queries that were read and checked, by their text: clients send the same ones again and again. */
const known = new Map<string, DocumentNode>()
const MOST_KNOWN = 200
const LONGEST_KNOWN = 20_000

/** The document of a query, or why there is none. */
function documentOf({ query, variables }: GraphqlRequest): DocumentNode | readonly GraphQLError[] {
  const { characters, depth, tokens } = QUERY_BOUNDS
  if (query.length > characters) {
    const problem = `The query has ${query.length} characters; at most ${characters} are allowed.`
    return [new GraphQLError(problem)]
  }
  try {
    const document = known.get(query) ?? parse(query, { maxLexicalTokens: tokens })
    const exceeded = exceededBound(document, variables)
    if (exceeded !== undefined) return [new GraphQLError(exceeded)]
    if (known.has(query)) return document
    const errors = validate(platformSchema(), document, undefined, { maxErrors: 10 })
    if (errors.length > 0) return errors
    if (known.size === MOST_KNOWN) known.clear()
    if (query.length <= LONGEST_KNOWN) known.set(query, document)
    return document
  } catch (error) {
    if (error instanceof GraphQLError) return [error]
    // The reader calls itself for each level, until there is no room for more calls.
    if (error instanceof RangeError) {
      const problem = `The query has thousands of levels; at most ${depth} are allowed. Ask for less at once.`
      return [new GraphQLError(problem)]
    }
    throw error
  }
}

/** Clients show the message of an answer with 200. Of any other answer, older ones show the status alone. */
function refused(errors: readonly GraphQLError[]): GraphqlAnswer {
  const body = { errors: errors.map((error) => error.toJSON()) }
  return { body, errors: errors.map(({ message }) => message) }
}

/** An error that clients may see. One that the emulator did not expect is reported, and has no details. */
function shown(error: GraphQLError, failed: (error: unknown) => void): GraphQLError {
  const { originalError, nodes, path } = error
  if (!originalError || originalError instanceof GraphQLError) return error
  const facts = { ...(nodes && { nodes }), ...(path && { path }) }
  if (originalError instanceof PlatformError) {
    return new GraphQLError(error.message, {
      ...facts,
      extensions: { code: originalError.problem },
    })
  }
  failed(originalError)
  return new GraphQLError('Internal Server Error', facts)
}

let built: GraphQLSchema | undefined

/** The schema. It takes a few milliseconds to build, and never changes. */
function platformSchema(): GraphQLSchema {
  if (built) return built
  built = buildSchema(PLATFORM_SCHEMA)
  for (const [name, read] of Object.entries(SCALARS)) {
    const scalar = built.getType(name)
    if (!(scalar instanceof GraphQLScalarType)) continue
    scalar.parseValue = read
    scalar.parseLiteral = (node, variables) => read(valueFromASTUntyped(node, variables))
  }
  return built
}

/** Reads values of the scalars of the schema, in variables and in the text of a query. Any other passes as it is. */
const SCALARS: Readonly<Record<string, (value: unknown) => unknown>> = {
  JSONString: (value) => {
    if (typeof value === 'string') return quoteNotFinite(value)
    throw new GraphQLError(`JSONString cannot be ${shortJson(value)}; expected JSON as text.`)
  },
  Int64: (value) => {
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
    if (Number.isSafeInteger(number)) return number
    throw new GraphQLError(`Int64 cannot be ${shortJson(value)}; expected a whole number.`)
  },
}
