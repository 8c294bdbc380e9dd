import { readable } from '../formats/text.ts';
import { addressOf } from '../router/address.ts';

interface SentImage {
  number: number;
  name: string;
}

/** What came with a prompt, small; each leads to itself as it was sent. */
export function SentImages({ images, path }: { images: readonly SentImage[]; path: string }) {
  return (
    <ul class="sent-images">
      {images.map(({ number, name }) => {
        const address = addressOf(`${path}/image/${Number(number)}`);
        return (
          <li key={number}>
            <a href={address} target="_blank" rel="noreferrer">
              <img src={address} alt="" loading="lazy" />
              <bdi>{readable(String(name))}</bdi>
            </a>
          </li>
        );
      })}
    </ul>
  );
}
