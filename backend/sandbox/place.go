package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"sort"

	"golang.org/x/sys/unix"
)

// placement is a mount to be made in a container that stands but has not been started: none of the repository's code has
// run in it, so its paths are ours.
type placement struct {
	source   string // "" the overlay
	target   string
	readOnly bool
	dir      bool
	fd       int // the mount, detached
}

// placements lists the mounts of a run, parents first. workspace is a copy, or "" for the overlay.
func placements(s Spec, workspace string) ([]placement, error) {
	all := []placement{{source: workspace, target: dirWorkspace, dir: true}}
	for target, source := range map[string]string{dirOut: s.Out, dirCache: s.Cache} {
		if source != "" {
			all = append(all, placement{source: source, target: target, dir: true})
		}
	}
	for _, m := range submounts(s.ReadOnly, mountTable()) {
		st, err := os.Stat(m.Source)
		if err != nil {
			return nil, fmt.Errorf("the mount on %s: %w", m.Target, err)
		}
		all = append(all, placement{source: m.Source, target: m.Target, readOnly: true, dir: st.IsDir()})
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].target < all[j].target })
	return all, nil
}

// place makes the mounts in the mount namespace ns. layers is a folder with lower, upper and work for the overlay. The
// mounts are made detached, by paths of the host, and then attached by paths of the container (open_tree, fsmount and
// move_mount; Linux 5.12), so that neither has to be seen by the other, and the container's mount table names the
// workspace's layers only as lower, upper and work.
func place(ns *os.File, layers string, all []placement) error {
	result := make(chan error, 1)
	go onThrowAwayThread(func() { result <- placeHere(ns, layers, all) })
	return <-result
}

// onThrowAwayThread runs f on a thread that ends with it, for what changes a thread for good. The process's first thread
// cannot end, so it only holds the place.
func onThrowAwayThread(f func()) {
	runtime.LockOSThread()
	if unix.Gettid() != unix.Getpid() {
		f()
		return // still locked: the thread ends
	}
	defer runtime.UnlockOSThread()
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		f()
	}()
	<-done
}

func placeHere(ns *os.File, layers string, all []placement) (err error) {
	if err := unix.Unshare(unix.CLONE_FS); err != nil { // this thread's folder and namespace are its own from here on
		return fmt.Errorf("preparing to mount: %w", err)
	}
	if err := unix.Chdir(layers); err != nil {
		return fmt.Errorf("preparing to mount: %w", err)
	}
	for i := range all {
		if all[i].source == "" {
			all[i].fd, err = detachedOverlay()
		} else {
			all[i].fd, err = detachedBind(all[i].source, all[i].readOnly)
		}
		if err != nil {
			return fmt.Errorf("mounting %s: %w", all[i].target, err)
		}
		defer unix.Close(all[i].fd)
	}
	if err := unix.Setns(int(ns.Fd()), unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("entering the container's mounts: %w", err)
	}
	root, err := os.OpenRoot("/") // of the container
	if err != nil {
		return err
	}
	defer root.Close()
	for _, p := range all {
		if err := attach(root, p); err != nil {
			return fmt.Errorf("mounting %s: %w", p.target, err)
		}
	}
	return nil
}

// attach moves a detached mount to its target. A mount point that is missing, as in the workspace, is made, through os.Root,
// since what is there is the repository's.
func attach(root *os.Root, p placement) error {
	rel := p.target[1:]
	at, err := root.Open(rel)
	if errors.Is(err, os.ErrNotExist) {
		if err := makePoint(root, rel, p.dir); err != nil {
			return err
		}
		at, err = root.Open(rel)
	}
	if err != nil {
		return err
	}
	defer at.Close()
	return unix.MoveMount(p.fd, "", int(at.Fd()), "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH)
}

// detachedOverlay mounts lower, upper and work of the present folder. The upper part is thrown away, so it need never reach
// the disk (volatile), where the kernel knows that.
func detachedOverlay() (int, error) {
	fs, err := unix.Fsopen("overlay", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return -1, err
	}
	defer unix.Close(fs)
	for _, o := range [][2]string{{"lowerdir", "lower"}, {"upperdir", "upper"}, {"workdir", "work"}} {
		if err := unix.FsconfigSetString(fs, o[0], o[1]); err != nil {
			return -1, fmt.Errorf("overlay %s: %w", o[0], err)
		}
	}
	_ = unix.FsconfigSetFlag(fs, "volatile") // older than Linux 5.10: it is only slower
	if err := unix.FsconfigCreate(fs); err != nil {
		return -1, fmt.Errorf("overlay: %w", err)
	}
	return unix.Fsmount(fs, unix.FSMOUNT_CLOEXEC, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV)
}

// detachedBind clones the mount of a host's path. It is made private: no mount in the container may arrive on the host.
func detachedBind(source string, readOnly bool) (int, error) {
	fd, err := unix.OpenTree(unix.AT_FDCWD, source, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return -1, err
	}
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV, Propagation: unix.MS_PRIVATE}
	if readOnly {
		attr.Attr_set |= unix.MOUNT_ATTR_RDONLY
	}
	if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH, &attr); err != nil {
		return -1, errors.Join(err, unix.Close(fd))
	}
	return fd, nil
}

// makeLayers makes the folders of an overlay over workspace in dir. The upper folder's owner, mode and time are what the
// program sees as the workspace's.
func makeLayers(dir, workspace string) error {
	st, err := os.Stat(workspace)
	if err != nil {
		return err
	}
	var owner unix.Stat_t
	if err := unix.Stat(workspace, &owner); err != nil {
		return err
	}
	upper := filepath.Join(dir, "upper")
	return errors.Join(
		os.MkdirAll(upper, 0o700), os.Mkdir(filepath.Join(dir, "work"), 0o700), os.Symlink(workspace, filepath.Join(dir, "lower")),
		os.Chown(upper, int(owner.Uid), int(owner.Gid)), os.Chmod(upper, st.Mode().Perm()), os.Chtimes(upper, st.ModTime(), st.ModTime()),
	)
}

// makePoint makes an empty folder or file at rel.
func makePoint(r *os.Root, rel string, dir bool) error {
	if dir {
		return r.MkdirAll(rel, 0o755)
	}
	if err := r.MkdirAll(path.Dir(rel), 0o755); err != nil {
		return err
	}
	f, err := r.OpenFile(rel, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return f.Close()
}
