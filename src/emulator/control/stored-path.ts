import { checkArgument, valueKind } from '../../base/text/options.js'

/** In the place of an entity and of a project: the newest thing with the name, wherever it is. */
const ANY = '-'

const whichKind = valueKind('entity/project/name, or a name alone', (value) => {
  return typeof value === 'string' && [1, 3].includes(stepsOf(value).length)
})

/**
 * The parameters of a path for what `entity/project/name` names, also after a scheme, or for a name alone.
 *
 * @param of The function that was called, for errors.
 * @throws {OptionsError} When it names neither.
 */
export function partsOf(
  which: string,
  of: string,
): Record<'entity' | 'project' | 'run' | 'artifact', string> {
  checkArgument(of, { name: 'which', value: which, kind: whichKind })
  const steps = stepsOf(which)
  const [entity = ANY, project = ANY] = steps.length === 1 ? [] : steps
  const name = steps.at(-1)!
  return { entity, project, run: name, artifact: name }
}

function stepsOf(which: string): string[] {
  return which.replace(/^[a-z][a-z0-9+.-]*:\/\/\/?/i, '').split('/')
}

/** What these parameters name: the path of a run or of an artifact, or its name alone. */
export function pathOf(
  { entity, project }: Readonly<Record<'entity' | 'project', string>>,
  name: string,
): string {
  return entity === ANY && project === ANY ? name : `${entity}/${project}/${name}`
}
