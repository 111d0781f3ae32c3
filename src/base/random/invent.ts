import type { Faker } from '@faker-js/faker'
import type { SeededRandom } from './random.js'

/** What values are for, such as `['model', 1]`. */
type Purpose = readonly (string | number)[]

/** One for all, because a faker takes longer to create than to use. */
let own: Faker | undefined

/**
 * Invents values which a test does not set. The values for one purpose do not depend on other calls, so `make` may not
 * wait for anything. The library is loaded on first use, and with only one language, because all languages take a
 * quarter of a second to load.
 */
export async function invent<Value>(
  random: SeededRandom,
  purpose: Purpose,
  make: (faker: Faker) => Value,
): Promise<Value> {
  own ??= await createFaker()
  own.seed(random.hash('arranged', ...purpose)[0])
  return make(own)
}

async function createFaker(): Promise<Faker> {
  const { faker } = await import('@faker-js/faker/locale/en')
  // A test may use the faker of the library for itself.
  const OwnFaker = faker.constructor as typeof Faker
  return new OwnFaker({ locale: faker.rawDefinitions })
}
