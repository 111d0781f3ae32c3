import { NO_RECORD } from './pydantic/model.js'
import type { Problem } from './pydantic/problem.js'
import { newerUuidProblem } from './pydantic/uuid.js'

/**
 * The releases of the framework whose answers differ, oldest first: see docs/explain/contract.md#versions-of-the-framework.
 * Each stands for those before it, up to the one before in this list.
 */
export const frameworkVersions = ['fastapi-0.131', 'fastapi-0.142', 'fastapi-0.165'] as const

/** A release of the framework. */
export type FrameworkVersion = (typeof frameworkVersions)[number]

/** The release whose answers are served unless a scenario chooses another one. */
export const DEFAULT_FRAMEWORK: FrameworkVersion = 'fastapi-0.131'

/** The content type as the framework reads it. Undefined if it reads the body as JSON without one. */
export function contentTypeIn(
  version: FrameworkVersion,
  contentType: string | undefined,
): string | undefined {
  return contentType || version === 'fastapi-0.131' ? contentType : NO_TYPE
}

/** A type that is not JSON. */
const NO_TYPE = 'none'

/** Writes the problems of a request as a release of the framework does. `body` is what was received. */
export function problemsIn(
  version: FrameworkVersion,
  problems: readonly Problem[],
  body: unknown,
): readonly Problem[] {
  if (version !== 'fastapi-0.165') return problems
  return problems.map((problem) => {
    if (problem.type === 'uuid_parsing') return withNewerWords(problem)
    return problem.type === 'missing' && problem.loc.length === 1 && body === null
      ? { ...problem, ...NO_RECORD }
      : problem
  })
}

function withNewerWords(problem: Problem): Problem {
  const error = newerUuidProblem(problem.input as string)
  return { ...problem, msg: `Input should be a valid UUID, ${error}`, ctx: { error } }
}
