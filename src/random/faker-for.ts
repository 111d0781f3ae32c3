import type { Faker } from '@faker-js/faker'
import type { SeededRandom } from './random.js'

/**
 * Invents what a test does not name. Draws are named by what they are for: each thing has a faker of
 * its own, so that the same thing is always invented alike. Loaded when it is first needed, and with
 * one language alone: all of them take a quarter of a second.
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
