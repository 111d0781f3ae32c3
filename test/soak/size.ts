import { numberFrom } from '../support/number-from-environment.js'

/** 20260131 on that day, so that each day tries something else. */
const today = Number(new Date().toISOString().slice(0, 10).replaceAll('-', ''))

/** Decides what clients do, when processes are killed, and what the inputs are. */
export const seed = numberFrom('SVTRAIN_SOAK_SEED', today)

/** How many minutes clients load the emulator. */
export const minutes = numberFrom('SVTRAIN_SOAK_MINUTES', 0.25)

/** How often the emulator is killed. */
export const kills = numberFrom('SVTRAIN_SOAK_KILLS', 50)

/** How often it is killed in the middle of uploads, commits and moves of aliases. */
export const platformKills = numberFrom('SVTRAIN_SOAK_PLATFORM_KILLS', Math.ceil(kills / 5))

/** How many odd inputs are tried. */
export const inputs = numberFrom('SVTRAIN_SOAK_INPUTS', 20_000)

process.stderr.write(
  `Seed ${seed}, ${kills} kills, ${inputs} odd inputs. Repeat it with SVTRAIN_SOAK_SEED=${seed} npm run test:soak\n`,
)
