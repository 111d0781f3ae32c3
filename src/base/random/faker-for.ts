import type { Faker } from '@faker-js/faker'
import type { SeededRandom } from './random.js'

/**
 * Returns a faker that invents values which a test does not set. Each purpose has its own faker, so the values
 * for one purpose do not depend on other calls. The library is loaded on first use, and with only one language,
 * because all languages take a quarter of a second to load.
 */
export async function fakerFor(
  random: SeededRandom,
  ...purpose: (string | number)[]
): Promise<Faker> {
  const { faker } = await import('@faker-js/faker/locale/en')
  const OwnFaker = faker.constructor as typeof Faker
  return new OwnFaker({
    locale: faker.rawDefinitions,
    seed: random.hash('arranged', ...purpose)[0],
  })
}
