import { firstOf } from '../../base/text/counted.js'
import type { ArtifactCollection } from './artifact.js'
import { newUnusedId, type PlatformContext } from './context.js'
import { checkLimit } from './limits.js'
import { checkName } from './names.js'
import { PlatformError, quoted } from './platform-error.js'
import type { Author } from './platform-change.js'
import { Project, type ProjectFacts } from './project.js'
import { reviseRecord } from './record.js'

/** The projects of a world, by entity. */
export class Projects {
  readonly #context: PlatformContext
  readonly #byEntity = new Map<string, Map<string, Project>>()
  readonly #byId = new Map<string, Project>()
  #created = 0

  constructor(context: PlatformContext) {
    this.#context = context
  }

  /** All projects, in the order of their entities. */
  *all(): Generator<Project> {
    for (const projects of this.#byEntity.values()) yield* projects.values()
  }

  /** All projects by their ids. */
  get byId(): ReadonlyMap<string, Project> {
    return this.#byId
  }

  /** The projects of an entity, in the order of their creation. */
  of(entity: string): Project[] {
    return [...(this.#byEntity.get(entity)?.values() ?? [])]
  }

  /** The project with a name. */
  named(entity: string, name: string): Project | undefined {
    return this.#byEntity.get(entity)?.get(name)
  }

  /** The collection of artifacts with a name in a project. */
  collectionNamed(entity: string, project: string, name: string): ArtifactCollection | undefined {
    return this.named(entity, project)?.collections.get(name)
  }

  /** @throws {PlatformError} When there is no such project. */
  get(entity: string, name: string): Project {
    const project = this.named(entity, name)
    if (project) return project
    const known = this.of(entity).map((each) => each.name)
    const rest = `The entity has ${firstOf(known, 10) || 'no projects'}.`
    throw new PlatformError(
      'not-found',
      `There is no project ${quoted(name)} of the entity ${quoted(entity)}. ${rest}`,
    )
  }

  /** @throws {PlatformError} When such a project could not be created. */
  check(entity: string, name: string): void {
    if (this.named(entity, name)) return
    checkName('entity', entity)
    checkName('project', name)
    checkLimit(this.#context.limits, 'projects', this.#created + 1)
  }

  /**
   * Finds or creates a project.
   *
   * @throws {PlatformError} When its name is not allowed, or there are too many. Nothing is created.
   */
  open(entity: string, name: string, author: Author): Project {
    const known = this.named(entity, name)
    if (known) return known
    this.check(entity, name)
    const ordinal = ++this.#created
    const createdAt = this.#context.now()
    const isUsed = (each: string): boolean => this.#byId.has(each)
    const id = newUnusedId(isUsed, this.#context, 'Project', entity, name)
    const project = new Project(id, { ordinal, entity, name, createdAt })
    this.#add(project)
    this.#context.changed('project', id, project)
    this.#context.report({ type: 'project_created', project }, author)
    return project
  }

  /** Creates a project of a saved world. */
  restore(project: Project): void {
    this.#add(project)
    this.#created = Math.max(this.#created, project.ordinal)
  }

  #add(project: Project): void {
    const { id, entity, name } = project
    const projects = this.#byEntity.get(entity) ?? new Map<string, Project>()
    this.#byEntity.set(entity, projects.set(name, project))
    this.#byId.set(id, project)
  }

  /** Takes what a client says about a project. */
  revise(project: Project, facts: ProjectFacts): void {
    reviseRecord(project, facts)
    this.#context.changed('project', project.id, project)
  }

  /** @throws {PlatformError} When a project cannot have artifacts of all these types. */
  checkTypes(project: Project | undefined, types: readonly string[]): void {
    const added = new Set(types.filter((type) => !project?.types.has(type)))
    if (added.size === 0) return
    for (const type of added) checkName('artifact type', type)
    checkLimit(this.#context.limits, 'types', (project?.types.size ?? 0) + added.size)
  }

  /**
   * Makes sure that a project has a type of artifacts.
   *
   * @throws {PlatformError} When it cannot have it. Nothing changes.
   */
  addType(project: Project, type: string): void {
    this.checkTypes(project, [type])
    if (project.types.has(type)) return
    project.types.set(type, this.#context.now())
    this.#context.changed('project', project.id, project)
  }
}
