import { useLocalStorage } from '@mantine/hooks';

/** Whether factors for experts stand in sight; the browser remembers it. */
export function useExpert(): [boolean, (shows: boolean) => void] {
  const [shows, setShows] = useLocalStorage({
    key: 'mqttlab.expert-factors',
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  return [shows, setShows];
}
