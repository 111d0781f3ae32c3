import type { ClockMode } from '../base/clock/clock.js'
import type { EmulatorOptions } from '../emulator/emulator-options.js'
import type { Scenario } from '../service/scenario/scenario.js'

/** Says which keys of a scenario do nothing: an option takes their place, or the clock has no use for them. */
export function keysWithoutEffect(
  { clock, seed }: Pick<Scenario, 'clock' | 'seed'>,
  options: Pick<EmulatorOptions, 'clock' | 'speed' | 'seed'>,
  mode: ClockMode,
): string[] {
  const texts: string[] = []
  const compare = (
    key: string,
    own: string | number | undefined,
    option: keyof typeof options,
  ): void => {
    const given = options[option]
    if (own === undefined || given === undefined || own === given) return
    texts.push(`${key}, ${own}, has no effect: the option ${option} is ${given}`)
  }
  compare('clock.mode', clock?.mode, 'clock')
  compare('clock.speed', clock?.speed, 'speed')
  compare('seed', seed, 'seed')
  if (clock?.speed !== undefined && options.speed === undefined && mode !== 'real') {
    texts.push(
      `clock.speed, ${clock.speed}, has no effect: the clock is ${mode}, and only a real one has a speed`,
    )
  }
  return texts.map((text) => `scenario: ${text}`)
}
