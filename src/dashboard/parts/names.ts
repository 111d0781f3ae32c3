import type { ControlJob } from '../../emulator/control/schemas/jobs.js'

export function shortId(id: string): string {
  return id.slice(0, 8)
}

/** `team/project/poet` */
export function fullName(model: { entity: string; project: string; name: string }): string {
  return `${projectOf(model)}/${model.name}`
}

/** `team/project` */
export function projectOf({ entity, project }: { entity: string; project: string }): string {
  return `${entity}/${project}`
}

/** `poet #2` */
export function jobTitle({ model, ordinal }: Pick<ControlJob, 'model' | 'ordinal'>): string {
  return `${model.name} #${ordinal}`
}
